import Antiphon
import Foundation

/// What `call` and `answer` have in common: where the sound is, how the peer is reached, what is offered.
struct CallOptions {
  let microphonePath: String?
  let outputPath: String?
  let devices: DeviceSettings
  let seconds: Double?
  let token: String?
  let printsJSON: Bool
  private(set) var connection = PeerConnectionSettings()

  static let soundOptions = [
    ArgumentSyntax.value("--mic", "FILE", "a recording instead of the microphone; silence behind its end"),
    ArgumentSyntax.value("--out", "FILE", "a WAV or FLAC file instead of the loudspeaker"),
    ArgumentSyntax.captureDevice,
    ArgumentSyntax.playbackDevice,
  ]
  static let networkOptions = [
    ArgumentSyntax.value("--codec", "NAME", "opus, g722, pcmu or pcma (default: all, opus first)"),
    ArgumentSyntax.value("--frame-ms", "MS", "sound in a packet: 10, 20, 40 or 60 (default: 20)"),
    ArgumentSyntax.value(
      "--bitrate", "BITS", "Opus, bits per second, fixed (default: 16000 to 64000, as the way allows)"),
    ArgumentSyntax.value("--red", "N", "earlier frames that each packet repeats, 0 to 8 (default: 0)"),
    ArgumentSyntax.value("--stun", "HOST:PORT", "a STUN server"),
    ArgumentSyntax.value("--turn", "URL", "a TURN server: turn:HOST:PORT, ?transport=tcp, or turns:HOST:PORT"),
    ArgumentSyntax.value("--turn-user", "NAME:SECRET", "for the TURN server"),
    ArgumentSyntax.flag("--relay-only", "over the TURN server only"),
    ArgumentSyntax.flag("--unprocessed", "without echo canceller, noise suppressor and gain"),
    ArgumentSyntax.value("--token", "TEXT", "bearer token of the endpoint"),
    ArgumentSyntax.flag("--json", "print the result as JSON"),
  ]

  /// - Parameter isLocal: whether the other end is on this machine, so that its own address is a path.
  init(_ arguments: Arguments, isLocal: Bool) throws {
    microphonePath = arguments.text("--mic")
    outputPath = arguments.text("--out")
    seconds = try arguments.decimal("--seconds", in: 0.1...86_400)
    token = arguments.text("--token")
    printsJSON = arguments.has("--json")
    var devices = DeviceSettings()
    devices.capture = arguments.text("--capture")
    devices.playback = arguments.text("--playback")
    self.devices = devices
    let usesFiles = microphonePath != nil || outputPath != nil
    if usesFiles, devices.capture != nil || devices.playback != nil {
      throw UsageError("give files (--mic, --out) or devices (--capture, --playback), not both")
    }

    connection.trickles = false
    if arguments.has("--unprocessed") { connection.engine = .unprocessed }
    connection.engine.bandCount = 0
    connection.packetDuration =
      try arguments.choice("--frame-ms", [("10", 10_000), ("20", 20_000), ("40", 40_000), ("60", 60_000)]) ?? 20_000
    connection.redundancyLevels = try arguments.number("--red", in: 0...8) ?? 0
    if let bitrate = try arguments.number("--bitrate", in: 6_000...510_000) {
      connection.bitrateRange = nil
      connection.engine.opus.bitrate = .bitsPerSecond(bitrate)
    }
    if let codec = try arguments.choice("--codec", ["opus", "g722", "pcmu", "pcma"].map { ($0, $0) }) {
      connection.codecs = SDPCodec.voice.filter { offered in
        let name = offered.map.encoding.lowercased()
        let companions = codec == "opus" ? ["red", "telephone-event"] : ["cn", "telephone-event"]
        return name == codec || companions.contains(name)
      }
    }
    connection.transport.ice.allowsLoopback = isLocal
    try takeServers(arguments)
  }

  private mutating func takeServers(_ arguments: Arguments) throws {
    var servers: [ICEServer] = []
    if let stun = arguments.text("--stun") {
      guard let server = ICEServer(stun.contains("stun:") ? stun : "stun:" + stun) else {
        throw UsageError("--stun: '\(stun)' is no HOST:PORT, such as stun.example.org:3478")
      }
      servers.append(server)
    }
    if let turn = arguments.text("--turn") {
      let parts = (arguments.text("--turn-user") ?? "").split(separator: ":", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { throw UsageError("--turn needs --turn-user NAME:SECRET") }
      guard let server = ICEServer(turn, username: parts[0], password: parts[1]) else {
        throw UsageError("--turn: '\(turn)' is no TURN URL, such as turn:relay.example.org:3478?transport=udp")
      }
      servers.append(server)
    } else if arguments.has("--relay-only") {
      throw UsageError("--relay-only needs a TURN server: give --turn")
    }
    connection.transport.ice.servers = servers
    if arguments.has("--relay-only") { connection.transport.ice.policy = .relay }
  }

  /// Whether files take the devices' place.
  var usesFiles: Bool { microphonePath != nil || outputPath != nil }
}
