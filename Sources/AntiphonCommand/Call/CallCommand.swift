import Antiphon
import Foundation

/// Calls a WebRTC endpoint.
struct CallCommand: Command {
  static let name = "call"
  static let summary = "call a WebRTC endpoint (WHIP) with the devices, or with files"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.required("--to", "URL", "the endpoint: http or https, where an offer can be posted"),
      ArgumentSyntax.value("--seconds", "N", "how long (default: until the recording ends, the peer goes, or Ctrl-C)"),
      ArgumentSyntax.value("--keys", "DIGITS", "keys to press when the call stands: 0-9, *, #"),
      ArgumentSyntax.value("--ca", "FILE", "authorities of the server's certificate, PEM (default: the system's)"),
    ] + CallOptions.soundOptions + CallOptions.networkOptions)
  static let example = "antiphon call --to http://127.0.0.1:8089/whip --mic testdata/speech/mic.wav --out heard.wav"
  static let notes = """
    The offer goes out by HTTP POST as application/sdp, the answer comes back with status 201 and the call's address,
    which DELETE ends (WHIP, RFC 9725). 'antiphon answer' is such an endpoint. With --mic or --out no sound device is used.
    """

  private let url: String
  private let keys: [UInt8]
  private let authorities: String?
  private let options: CallOptions

  init(_ arguments: Arguments) throws {
    url = try arguments.required("--to", "URL")
    keys = try (arguments.text("--keys") ?? "").map { key in
      guard let code = TelephoneEvent.code(of: key) else {
        throw UsageError("--keys: '\(key)' is no key; give 0-9, *, #")
      }
      return code
    }
    authorities = arguments.text("--ca")
    options = try CallOptions(arguments, isLocal: Self.isLocal(url))
  }

  /// Whether a URL names this machine's own loopback address.
  private static func isLocal(_ url: String) -> Bool {
    let host = URLComponents(string: url)?.host ?? ""
    return host == "localhost" || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
  }

  func run() throws {
    let files = OutputFiles(inputs: [options.microphonePath].compactMap { $0 })
    let result = try files.removingOnFailure {
      let sound =
        options.usesFiles
        ? try FileSound(microphone: options.microphonePath, output: options.outputPath, files: files) : nil
      // Whatever ends the call, what was heard until then is kept.
      Interruption.forget()
      let stop = StopSignal()
      let (url, keys, options, authorities) = (url, keys, options, authorities)
      let figures = try AsyncWork.wait {
        try await Self.call(url, keys, options, authorities, sound: sound, stop: stop)
      }
      try sound?.finish()
      return figures
    }
    try result.tell(as: Self.self, json: options.printsJSON, audioGoesTo: options.outputPath ?? "")
    if result.setupMilliseconds == nil { throw AlreadyTold() }
  }

  private static func call(
    _ url: String, _ keys: [UInt8], _ options: CallOptions, _ authorities: String?, sound: FileSound?,
    stop: StopSignal
  ) async throws -> CallFigures {
    let loop = EventLoop()
    var http = HTTPClient.Settings()
    if let authorities { http.trust = .authorities(inFile: authorities) }
    let client = HTTPClient(on: loop, settings: http)
    let connection = try PeerConnection(
      options.connection, sound: sound?.callSound ?? .devices(options.devices), on: loop)
    let watch = CallWatch(connection, peer: url)
    let call: WHIPCall
    do {
      call = try await WHIPCall.start(connection, to: url, token: options.token, by: client)
    } catch {
      await connection.close()
      throw error
    }
    for key in keys { await connection.send(.pressKey(code: key, milliseconds: 160)) }
    _ = await watch.run(seconds: options.seconds, hasEnded: { sound?.hasEnded ?? false }, stop: stop)
    await call.end()
    return await watch.result()
  }
}
