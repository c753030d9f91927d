import Antiphon
import Foundation

/// What is in audio files and packet captures.
struct InfoCommand: Command {
  static let name = "info"
  static let summary = "tell what is in audio files and packet captures"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.flag("--json", "one JSON object a line, one line a file")
    ], operands: ["FILE..."], takesMoreOperands: true)
  static let example = "antiphon info testdata/speech/mic.wav testdata/captures/sipnab-codec-negotiation.pcap"
  static let notes = """
    Audio files are read to their end: the sound decides about length and level, not the header. Captures are pcap, pcapng
    or rtpdump; every RTP stream is told, also those whose codec cannot be decoded here. A file that is neither, or a
    capture without an audio stream, is an error; the other files are told all the same.
    """

  private let paths: [String]
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    _ = try arguments.operand(0, "FILE")
    paths = arguments.operands
    printsJSON = arguments.has("--json")
    if paths.filter({ $0 == "-" }).count > 1 { throw UsageError("standard input can be read only once") }
  }

  func run() throws {
    var failures = 0
    for path in paths {
      do {
        try tell(path)
      } catch let closed as OutputClosed {
        throw closed
      } catch {
        failures += 1
        Terminal.error("antiphon \(Self.name): \(error)")
      }
    }
    if failures > 0, paths.count > 1 { throw CommandFailure("\(failures) of \(paths.count) files could not be told") }
    if failures > 0 { throw AlreadyTold() }
  }

  private func tell(_ path: String) throws {
    // Its kind shows in its first bytes, which a pipe gives only once.
    let spool = path == "-" ? try StandardInputCopy() : nil
    let file = spool?.path ?? path
    switch try FileKind(path: file) {
    case .capture: try print(CaptureDescription(path: file, name: path))
    case .oggOpus: try print(AudioDescription(opus: file, name: path))
    case .other: try print(AudioDescription(audio: file, name: path))
    }
  }

  private func print(_ description: some FileDescription) throws {
    try Terminal.line(printsJSON ? JSONText.encode(description) : description.text)
    for warning in description.warnings { Terminal.error("antiphon \(Self.name): \(description.file): \(warning)") }
    if let fault = description.fault { throw CommandFailure("\(description.file): \(fault)") }
  }
}

/// What is told of a file.
protocol FileDescription: Encodable {
  var file: String { get }
  var warnings: [String] { get }
  /// For people.
  var text: String { get }
  /// Why, though it could be read, it is of no use.
  var fault: String? { get }
}
