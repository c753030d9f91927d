import Antiphon
import Foundation

/// Takes calls of WebRTC clients.
struct AnswerCommand: Command {
  static let name = "answer"
  static let summary = "take WebRTC calls (WHIP), from browsers too, with the devices or with files"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value("--listen", "HOST:PORT", "where (default: 127.0.0.1:8089; port 0: any free one)"),
      ArgumentSyntax.value("--calls", "N", "end after so many calls (default: until Ctrl-C)"),
      ArgumentSyntax.value("--seconds", "N", "the longest that a call lasts (default: until the caller goes)"),
    ] + CallOptions.soundOptions + CallOptions.networkOptions)
  static let example =
    "antiphon answer --listen 127.0.0.1:8089 --mic testdata/speech/agent.wav --out user.wav --calls 1"
  static let notes = """
    Prints the endpoint's address, then a result for each call. One call at a time: others are told to try again later.
    The same address without its path is a page that calls from a browser. With --mic or --out no sound device is used;
    from the second call on the file's name gets the call's number.
    """

  private let host: String
  private let port: UInt16
  private let callCount: Int?
  private let options: CallOptions

  init(_ arguments: Arguments) throws {
    let listen = arguments.text("--listen") ?? "127.0.0.1:8089"
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
      throw UsageError("--listen: '\(listen)' is no HOST:PORT, such as 127.0.0.1:8089")
    }
    host = String(listen[..<colon]).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
    callCount = try arguments.number("--calls", in: 1...1_000_000)
    // A caller on this machine may have no other address.
    options = try CallOptions(arguments, isLocal: host == "localhost" || host.hasPrefix("127.") || host == "::1")
  }

  func run() throws {
    let files = OutputFiles(inputs: [options.microphonePath].compactMap { $0 })
    try files.removingOnFailure {
      let sounds = try FileSounds(options, files)
      Interruption.forget()
      let stop = StopSignal()
      let command = self
      try AsyncWork.wait { try await command.serve(sounds, stop: stop) }
    }
  }

  private func serve(_ sounds: FileSounds, stop: StopSignal) async throws {
    let loop = EventLoop()
    var settings = WHIPServer.Settings()
    settings.token = options.token
    settings.maximumCalls = 1
    settings.allowsOtherOrigins = true
    settings.page = CallPage.html
    settings.connection = options.connection
    let devices = options.devices
    let server = WHIPServer(settings, on: loop) { number in sounds.sound(number) ?? .devices(devices) }
    let events = server.events
    let address: HTTPServer.Address =
      switch host {
      case "0.0.0.0", "::": .any
      case "localhost": .loopback
      default: .numeric(host)
      }
    let port = try await server.listen(at: address, port: port)
    let shown = host.contains(":") ? "[\(host)]" : host
    try Terminal.line("listening at http://\(shown):\(port)\(settings.path)")

    let ending = Task {
      await stop.wait()
      await server.stop()
    }
    var taken = 0
    for await event in events {
      guard case .began(let connection, let number) = event else { continue }
      let watch = CallWatch(connection, peer: "caller \(number)") {
        // The server closes a call that its caller has deleted, which may be ahead of the goodbye.
        stop.isSet ? "stopped by a signal" : "by the peer"
      }
      _ = await watch.run(seconds: options.seconds, hasEnded: { false }, stop: nil)
      await connection.close()
      try sounds.finish(number)
      try await watch.result().tell(as: Self.self, json: options.printsJSON)
      taken += 1
      if taken == callCount { break }
    }
    ending.cancel()
    await server.stop()
  }
}

/// A recording and a file for each call, made when it comes.
private final class FileSounds: @unchecked Sendable {
  private let options: CallOptions
  private let files: OutputFiles
  private let lock = NSLock()
  private var sounds: [Int: FileSound] = [:]

  /// Opens what the first call needs, so that a wrong name is told before anybody calls.
  init(_ options: CallOptions, _ files: OutputFiles) throws {
    self.options = options
    self.files = files
    if options.usesFiles { sounds[1] = try make(1) }
  }

  func sound(_ number: Int) -> CallSound? {
    guard options.usesFiles else { return nil }
    return lock.withLock {
      if sounds[number] == nil {
        do { sounds[number] = try make(number) } catch {
          return CallSound(sampleRate: .hz48000) { _ in throw error }
        }
      }
      return sounds[number]?.callSound
    }
  }

  /// Completes a call's file, whatever becomes of the calls after it.
  func finish(_ number: Int) throws {
    guard let sound = lock.withLock({ sounds.removeValue(forKey: number) }) else { return }
    try sound.finish()
    try lock.withLock { if let output = self.output(number) { try files.complete(output) } }
  }

  private func output(_ number: Int) -> String? {
    guard let path = options.outputPath, number > 1, path != "-" else { return options.outputPath }
    let url = URL(fileURLWithPath: path)
    return url.deletingPathExtension().path + "-\(number)." + url.pathExtension
  }

  private func make(_ number: Int) throws -> FileSound {
    try FileSound(microphone: options.microphonePath, output: output(number), files: files)
  }
}
