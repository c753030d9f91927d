import Foundation
import RealtimeCore

/// A rival that runs in a process of its own, since its library can only be linked into a program.
///
/// The program gets the paths of two files of raw floats, near end and far end at 48 kHz. For each line with a number on
/// its standard input it makes as many calls of 20 ms and answers with that many times, 64-bit nanoseconds each.
final class ProgramLoop: MeasuredLoop {
  private let process = Process()
  private let requests = Pipe()
  private let answers = Pipe()
  private let folder: URL

  init(_ program: String, nearEnd: Speech, farEnd: Speech) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let files = try [nearEnd, farEnd].enumerated().map { number, speech in
      let file = folder.appendingPathComponent("\(number).f32")
      try unsafe speech.samples.withUnsafeBytes { try unsafe Data($0).write(to: file) }
      return file.path
    }
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = files
    process.standardInput = requests
    process.standardOutput = answers
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  deinit {
    try? requests.fileHandleForWriting.close()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  var checksum: UInt64? { nil }
  var runsHere: Bool { false }

  func run(_ times: inout CallTimes) {
    requests.fileHandleForWriting.write(Data("\(times.count)\n".utf8))
    for call in 0..<times.count {
      let bytes = answers.fileHandleForReading.readData(ofLength: 8)
      precondition(bytes.count == 8, "the rival program ended early")
      times[call] = bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
    }
  }
}
