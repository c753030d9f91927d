import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// The built program, started as a user starts it.
enum Program {
  struct Outcome {
    let code: Int32
    let output: Data
    let error: String
    var text: String { String(decoding: output, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// The one JSON object that was printed.
    func json() throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: output) as? [String: Any])
    }
  }

  /// Beside the test bundle, which is this process' own executable.
  static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  static let executable = folder.appendingPathComponent("antiphon")

  static func run(_ words: String..., in folder: Folder, input: Data? = nil) throws -> Outcome {
    try start(executable, words, in: folder, input: input)
  }

  /// Runs a line of shell in which `antiphon` is the program.
  static func shell(_ line: String, in folder: Folder) throws -> Outcome {
    try start(URL(fileURLWithPath: "/bin/sh"), ["-c", line], in: folder, input: nil)
  }

  private static func start(_ program: URL, _ words: [String], in folder: Folder, input: Data?) throws -> Outcome {
    // Files in place of pipes: nothing can fill up and block.
    let name = UUID().uuidString
    let (inputPath, outputPath, errorPath) = (folder / "\(name).in", folder / "\(name).out", folder / "\(name).err")
    try (input ?? Data()).write(to: URL(fileURLWithPath: inputPath))
    for path in [outputPath, errorPath] { #expect(FileManager.default.createFile(atPath: path, contents: nil)) }
    defer { for path in [inputPath, outputPath, errorPath] { try? FileManager.default.removeItem(atPath: path) } }
    let process = Process()
    process.executableURL = program
    process.arguments = words
    process.currentDirectoryURL = folder.url
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = self.folder.path + ":" + (environment["PATH"] ?? "/usr/bin:/bin")
    process.environment = environment
    process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: inputPath))
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputPath))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorPath))
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit, "\(words) died of signal \(process.terminationStatus)")
    return Outcome(
      code: process.terminationStatus, output: try Data(contentsOf: URL(fileURLWithPath: outputPath)),
      error: String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorPath)), as: UTF8.self))
  }
}

/// A folder of one test, gone after it.
final class Folder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-test-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
  deinit { try? FileManager.default.removeItem(at: url) }

  static func / (folder: Folder, name: String) -> String { folder.url.appendingPathComponent(name).path }

  func holds(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self / name) }
  func data(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }

  /// Writes a WAV file.
  func write(
    _ samples: [Float], _ name: String, rate: SampleRate = .hz16000, channels: Int = 1,
    encoding: AudioFileWriter.Encoding = .float32
  ) throws {
    var writer = try AudioFileWriter(
      path: self / name, format: AudioFormat(sampleRate: rate, channelCount: channels), encoding: encoding)
    try writer.write(samples)
    try writer.finish()
  }

  /// Reads any audio file, interleaved.
  func read(_ name: String) throws -> (samples: [Float], format: AudioFormat, encoding: String) {
    var reader = try AudioFileReader(path: self / name)
    var samples: [Float] = []
    var block = [Float](repeating: 0, count: 4_096 * reader.format.channelCount)
    while true {
      var span = block.mutableSpan
      let count = try reader.read(into: &span)
      if count == 0 { break }
      samples += block[..<(count * reader.format.channelCount)]
    }
    return (samples, reader.format, reader.encodingDescription)
  }
}

/// A file of the repository's test data.
func data(_ name: String) -> String { testdata.appendingPathComponent(name).path }
