import Antiphon
import Foundation

/// What `antiphon run` was asked to do.
struct RunOptions {
  var microphonePath: String
  var agentPath: String
  var roomPath: String?
  var network: String
  var codec: Codec
  var rate: SampleRate
  var directory: URL
  var seed: UInt64
  var bitrate: Int
  var complexity: Int
  var expectedLoss: Int
  var usesSRTP: Bool
  var printsJSON: Bool
  /// Seconds that the user listens before the microphone's recording begins.
  var userBegins: Double

  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.value("--mic", "FILE", "the user's voice (default: testdata/speech/mic.wav)"),
    ArgumentSyntax.value(
      "--user-begins", "SECONDS",
      "the user listens for so long, then speaks (default: 0;\n5 with the recording in testdata)"),
    ArgumentSyntax.value("--agent", "FILE", "the agent's voice (default: testdata/speech/agent.wav)"),
    ArgumentSyntax.value(
      "--echo-path", "FILE",
      "the room from loudspeaker to microphone, an impulse response\n(default: testdata/rooms/room.wav; 'none': a headset)"
    ),
    ArgumentSyntax.value(
      "--network", "NAME|FILE",
      "clean, wifi, lte, lossy, or a trace: a CSV file\nseq,timestamp,send_ms,arrival_ms (default: wifi)"),
    ArgumentSyntax.value("--codec", "NAME", "opus, pcmu, pcma, g722, l16 or l24, both ways (default: opus)"),
    ArgumentSyntax.value(
      "--rate", "HERTZ", "rate of the microphone's processing: 16000, 24000 or 48000 (default: 16000)"),
    ArgumentSyntax.value("--bitrate", "BITS", "Opus, bits per second (default: 32000)"),
    ArgumentSyntax.value("--complexity", "N", "Opus, 0 to 10 (default: 5)"),
    ArgumentSyntax.value(
      "--expected-loss", "PERCENT", "Opus: send copies of past frames against this loss (default: 0)"),
    ArgumentSyntax.flag("--plain", "RTP without SRTP"),
    ArgumentSyntax.value("--seed", "N", "another draw of the same network (default: 1)"),
    ArgumentSyntax.value("--report", "DIR", "where audio, JSON and report go (default: out/run)"),
    ArgumentSyntax.flag("--json", "print the result as JSON"),
  ])

  init(_ arguments: Arguments) throws {
    userBegins =
      try arguments.decimal("--user-begins", in: 0...3_600) ?? (arguments.text("--mic") == nil ? 5 : 0)
    microphonePath = try arguments.text("--mic") ?? Self.recording("speech/mic.wav", option: "--mic")
    agentPath = try arguments.text("--agent") ?? Self.recording("speech/agent.wav", option: "--agent")
    let room = try arguments.text("--echo-path") ?? Self.recording("rooms/room.wav", option: "--echo-path")
    roomPath = room == "none" ? nil : room
    network = arguments.text("--network") ?? "wifi"
    codec =
      try arguments.choice(
        "--codec",
        [("opus", Codec.opus), ("pcmu", .pcmu), ("pcma", .pcma), ("g722", .g722), ("l16", .l16), ("l24", .l24)])
      ?? .opus
    rate =
      try arguments.choice(
        "--rate", [("16000", SampleRate.hz16000), ("24000", .hz24000), ("48000", .hz48000)]) ?? .hz16000
    bitrate = try arguments.number("--bitrate", in: 500...512_000) ?? 32_000
    complexity = try arguments.number("--complexity", in: 0...10) ?? 5
    expectedLoss = try arguments.number("--expected-loss", in: 0...100) ?? 0
    seed = UInt64(try arguments.number("--seed", in: 0...Int.max) ?? 1)
    directory = URL(fileURLWithPath: arguments.text("--report") ?? "out/run", isDirectory: true)
    usesSRTP = !arguments.has("--plain")
    printsJSON = arguments.has("--json")
    if [microphonePath, agentPath, roomPath ?? ""].filter({ $0 == "-" }).count > 1 {
      throw UsageError("only one recording can come from standard input")
    }
  }

  var format: CodecFormat {
    switch codec {
    case .opus: .opus()
    case .pcmu: .pcmu
    case .pcma: .pcma
    case .l16: .l16(rate)
    case .l24: .l24(rate)
    case .g722: .g722
    }
  }

  /// As somebody in the working folder would type it.
  private static func relative(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath + "/"
    return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
  }

  /// The recordings that come with the sources, found from the working folder upwards, then from the program upwards.
  private static func recording(_ name: String, option: String) throws -> String {
    let starts = [FileManager.default.currentDirectoryPath, Bundle.main.executablePath ?? ""]
    for start in starts {
      var folder = URL(fileURLWithPath: start)
      while folder.path != "/" {
        let candidate = folder.appendingPathComponent("testdata").appendingPathComponent(name)
        if FileManager.default.fileExists(atPath: candidate.path) { return relative(candidate.path) }
        folder.deleteLastPathComponent()
      }
    }
    throw UsageError("testdata/\(name) is neither here nor beside the program; give \(option) FILE")
  }
}
