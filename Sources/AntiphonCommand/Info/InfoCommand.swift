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
  static let example = "antiphon info testdata/speech/mic.wav testdata/captures/rtptools-bark.rtp"
  static let notes = """
    Audio files are read to their end: the sound decides about length and level, not the header. Captures are pcap, pcapng
    or rtpdump; every RTP stream is told in short ('antiphon capture-info' has it all), also those whose codec cannot be
    decoded. A file that is neither, or a capture without an audio stream, is an error; the other files are told all the
    same.
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
    let spool = try PipeCopy(of: path) { copy in
      guard case .other = try FileKind(path: copy) else { return }
      do throws(AudioFileError) { _ = try AudioFileReader(path: copy) } catch {
        throw AudioFileError.unrecognized(path: path, wanted: "an audio file or packet capture")
      }
    }
    let file = spool?.path ?? path
    switch try FileKind(path: file) {
    case .capture: try CaptureDescription(path: file, name: path).tell(as: Self.self, json: printsJSON)
    case .oggOpus: try AudioDescription(opus: file, name: path).tell(as: Self.self, json: printsJSON)
    case .other: try AudioDescription(audio: file, name: path).tell(as: Self.self, json: printsJSON)
    }
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

extension FileDescription {
  /// The result on standard output, warnings on standard error, the fault as an error.
  func tell(as command: any Command.Type, json: Bool) throws {
    try Terminal.line(json ? JSONText.encode(self) : text)
    for warning in warnings { Terminal.error("antiphon \(command.name): \(file): \(warning)") }
    if let fault { throw CommandFailure("\(file): \(fault)") }
  }
}
