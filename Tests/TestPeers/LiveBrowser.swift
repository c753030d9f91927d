internal import Foundation
public import Networking
internal import Testing

/// A real browser whose page a test drives by script, through the DevTools protocol. (Debian: `apt-get install chromium`.)
public actor LiveBrowser {
  private let folder: URL
  private let program: SpawnedProgram
  private let socket: WebSocket
  private var session: String?
  private var nextID = 1
  private var answers: [Int: CheckedContinuation<[String: Any], any Error>] = [:]
  private var reading: Task<Void, Never>?

  /// What a page or the protocol says is wrong.
  public struct Failed: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String

    /// A failure in these words.
    public init(_ description: String) { self.description = description }
  }

  /// Starts the browser with an empty page of its own profile.
  public static func start(on loop: EventLoop) async throws -> LiveBrowser {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-browser-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let program = try SpawnedProgram(
      "/usr/bin/chromium",
      [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--use-fake-device-for-media-stream",
        "--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required", "--mute-audio",
        "--disable-features=WebRtcHideLocalIpsWithMdns", "--allow-loopback-in-peer-connection",
        "--remote-debugging-port=0", "--remote-allow-origins=*", "--user-data-dir=\(folder.path)", "about:blank",
      ])
    let port = folder.appendingPathComponent("DevToolsActivePort")
    var lines: [String] = []
    let deadline = Date().addingTimeInterval(30)
    while lines.count < 2, Date() < deadline {
      try await Task.sleep(for: .milliseconds(50))
      lines = ((try? String(contentsOf: port, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }
    try #require(lines.count == 2, "chromium does not start: apt-get install chromium")
    var settings = WebSocketSettings()
    settings.maximumMessageBytes = 16 << 20
    settings.receiveBufferBytes = 16 << 20
    let socket = try await WebSocket.connect(to: "ws://127.0.0.1:\(lines[0])\(lines[1])", on: loop, settings: settings)
    let browser = LiveBrowser(folder, program, socket)
    try await browser.begin()
    return browser
  }

  private init(_ folder: URL, _ program: SpawnedProgram, _ socket: WebSocket) {
    self.folder = folder
    self.program = program
    self.socket = socket
  }

  private func begin() async throws {
    reading = Task { [weak self, socket] in
      for await message in socket.messages {
        guard case .text(let text) = message else { continue }
        await self?.take(text)
      }
      await self?.lose()
    }
    let page = try await ask("Target.createTarget", ["url": "about:blank"])
    let attached = try await ask(
      "Target.attachToTarget", ["targetId": page["targetId"] ?? "", "flatten": true])
    session = attached["sessionId"] as? String
    _ = try await ask("Page.enable", [:])
  }

  /// Goes to another page, and waits for it.
  public func open(_ url: String) async throws {
    _ = try await ask("Page.navigate", ["url": url])
    let script = "document.readyState === 'complete' && location.href !== 'about:blank'"
    while try await evaluate(script) as? Bool != true { try await Task.sleep(for: .milliseconds(20)) }
  }

  /// Runs a script and waits for its promise.
  public func run(_ script: String) async throws { _ = try await evaluate(script) }

  /// As `run`, for a value.
  private func evaluate(_ script: String) async throws -> Any? {
    let answer = try await ask(
      "Runtime.evaluate", ["expression": script, "awaitPromise": true, "returnByValue": true])
    if let exception = answer["exceptionDetails"] as? [String: Any] {
      let thrown = exception["exception"] as? [String: Any]
      throw Failed("\(thrown?["description"] ?? exception["text"] ?? exception)")
    }
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// As `run`, for a text.
  public func text(_ script: String) async throws -> String {
    guard let text = try await evaluate(script) as? String else { throw Failed("no text: \(script)") }
    return text
  }

  /// As `run`, for a number.
  public func number(_ script: String) async throws -> Double {
    guard let number = try await evaluate(script) as? Double else { throw Failed("no number: \(script)") }
    return number
  }

  /// Ends the browser.
  public func close() async {
    reading?.cancel()
    await socket.close()
    program.crash()
    try? FileManager.default.removeItem(at: folder)
  }

  private func ask(_ method: String, _ parameters: [String: Any]) async throws -> [String: Any] {
    let id = nextID
    nextID += 1
    var message: [String: Any] = ["id": id, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    let text = String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
    return try await withCheckedThrowingContinuation { continuation in
      answers[id] = continuation
      Task {
        do { try await socket.send(text) } catch { fail(id, "\(error)") }
      }
    }
  }

  private func take(_ text: String) {
    guard let message = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let id = message["id"] as? Int, let answer = answers.removeValue(forKey: id)
    else { return }
    if let error = message["error"] {
      answer.resume(throwing: Failed("\(error)"))
    } else {
      answer.resume(returning: message["result"] as? [String: Any] ?? [:])
    }
  }

  private func fail(_ id: Int, _ reason: String) {
    answers.removeValue(forKey: id)?.resume(throwing: Failed(reason))
  }

  private func lose() {
    for id in Array(answers.keys) { fail(id, "the browser has gone") }
  }
}
