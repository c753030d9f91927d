import Antiphon
import Foundation

/// Many calls in one process, over plain SRTP: how many a core holds.
struct ServeCallsCommand: Command {
  static let name = "serve-calls"
  static let summary = "hold many SRTP calls at once, to see how many a machine holds"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.required("--calls", "N", "calls at the same time, 1 to 10000"),
    ArgumentSyntax.required("--port-base", "PORT", "call i is bound to this UDP port plus i, on 127.0.0.1"),
    ArgumentSyntax.required("--peer-base", "PORT", "and sends to this one plus i"),
    ArgumentSyntax.required("--receive-key", "BASE64", "SRTP key and salt of what arrives, as in SDP's a=crypto"),
    ArgumentSyntax.required("--send-key", "BASE64", "and of what is sent"),
    ArgumentSyntax.required("--source", "FILE", "what the calls say, each from its own place, again and again"),
    ArgumentSyntax.value("--complexity", "N", "Opus, 0 to 10 (default: 9)"),
    ArgumentSyntax.value("--bitrate", "BITS", "Opus, bits per second (default: 32000)"),
    ArgumentSyntax.value("--threads", "N", "threads that share the calls, 1 to 256 (default: 1)"),
  ])
  static let example = """
    antiphon serve-calls --calls 20 --port-base 40000 --peer-base 45000 --receive-key KEY --send-key KEY \
    --source testdata/speech/agent.wav
    """
  static let notes = """
    Each call decodes a stream of 20 ms Opus packets and sends one that it encodes at that moment; no ICE, DTLS or RTCP.
    Keys are 30 bytes in base64 (AES_CM_128_HMAC_SHA1_80). Ends with SIGTERM or Ctrl-C, and then prints in JSON how many
    packets were decoded and frames concealed, and the mean square of what was heard, in 16-bit steps.
    """

  private let callCount: Int
  private let portBase: Int
  private let peerBase: Int
  private let security: MediaEngineSettings.Security
  private let sourcePath: String
  private let opus: OpusEncoderSettings
  private let threadCount: Int

  init(_ arguments: Arguments) throws {
    func required(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int {
      guard let value = try arguments.number(name, in: range) else { throw UsageError("\(name) is missing") }
      return value
    }
    callCount = try required("--calls", in: 1...10_000)
    portBase = try required("--port-base", in: 1...65_535)
    peerBase = try required("--peer-base", in: 1...65_535)
    guard max(portBase, peerBase) + callCount <= 65_536 else {
      throw UsageError("\(callCount) calls from port \(max(portBase, peerBase)) on go beyond 65535; begin lower")
    }
    func key(_ name: String) throws -> SRTPKey {
      guard let bytes = Data(base64Encoded: try arguments.required(name, "BASE64")), bytes.count == 30 else {
        throw UsageError("\(name): give 30 bytes in base64: 16 of the key, 14 of the salt")
      }
      return try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: Array(bytes))
    }
    let receive = try key("--receive-key")
    security = .init(send: try key("--send-key"), receive: receive)
    sourcePath = try arguments.required("--source", "FILE")
    opus = OpusEncoderSettings(
      bitrate: .bitsPerSecond(try arguments.number("--bitrate", in: 6_000...510_000) ?? 32_000),
      complexity: try arguments.number("--complexity", in: 0...10) ?? 9, signal: .voice)
    threadCount = min(callCount, try arguments.number("--threads", in: 1...256) ?? 1)
  }

  func run() throws {
    var source = try AudioSource(path: sourcePath, sampleRate: .hz48000)
    let speech = try SpeechLoop(&source)
    let stop = StopFlag()
    // Calls are due in the order of their numbers, spread evenly over the 20 ms.
    let start = EventLoop.now.advanced(byNanoseconds: 20_000_000)
    var servers: [CallServer] = []
    for thread in 0..<threadCount {
      var calls: [ServedCall] = []
      for number in stride(from: thread, to: callCount, by: threadCount) {
        let socket = try UDPSocket(
          host: "127.0.0.1", port: UInt16(portBase + number), peerHost: "127.0.0.1", peerPort: UInt16(peerBase + number)
        )
        let offset = Int64(number) * 20_000_000 / Int64(callCount)
        calls.append(
          try ServedCall(number, settings(number), socket, speech, due: start.advanced(byNanoseconds: offset)))
      }
      servers.append(CallServer(calls, stop))
    }
    for server in servers.dropFirst() { server.start() }
    servers[0].serve()
    var total = ServedCall.Counts()
    for server in servers { total.add(server.finish()) }
    try Terminal.line(total.json)
  }

  private func settings(_ number: Int) -> MediaEngineSettings {
    var settings = MediaEngineSettings.unprocessed
    settings.opus = opus
    settings.security = security
    settings.telephoneEventType = nil
    settings.stream = .init(
      ssrc: 0x2000_0000 + UInt32(number), firstSequenceNumber: 0, firstTimestamp: 0)
    return settings
  }
}
