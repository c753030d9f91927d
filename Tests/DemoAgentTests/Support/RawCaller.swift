import Foundation
import Networking
import RealtimeCore
import Testing

@testable import DemoAgent

/// A plain WebSocket client that keeps all that comes: no vendor's rules in it.
final class RawCaller: Sendable {
  let socket: WebSocket

  init(_ url: String, headers: HTTPHeaders = [:], on loop: EventLoop) async throws {
    var settings = WebSocketSettings()
    settings.maximumMessageBytes = 64 << 20
    settings.receiveBufferBytes = 64 << 20
    socket = try await WebSocket.connect(to: url, on: loop, headers: headers, settings: settings)
  }

  func send(_ text: String) async throws { try await socket.send(text) }
  func send(_ json: JSON) async throws { try await socket.send(json.text) }

  /// The next message; fails when none comes in time.
  func next(within seconds: Double = 10) async throws -> WebSocketMessage? {
    let socket = socket
    let guarding = Task {
      try await Task.sleep(for: .seconds(seconds))
      await socket.close(code: 1000, reason: "the test has waited \(seconds) s")
    }
    defer { guarding.cancel() }
    return await socket.next()
  }

  /// The next text message as JSON.
  func nextJSON(within seconds: Double = 10) async throws -> JSON {
    while let message = try await next(within: seconds) {
      if case .text(let text) = message { return try JSONReader.read(text) }
    }
    let ending = await socket.ended()
    throw Missing(words: "no message; \(ending)")
  }

  /// The next JSON message of a kind: its `type`, `method` or `event`. The others go to `seen`.
  @discardableResult
  func next(_ kind: String, within seconds: Double = 10, seen: (JSON) -> Void = { _ in }) async throws -> JSON {
    let end = EventLoop.now.advanced(byMilliseconds: seconds * 1_000)
    while EventLoop.now < end {
      let message: JSON
      do { message = try await nextJSON(within: max(0.05, EventLoop.now.milliseconds(since: end) / -1_000)) } catch {
        throw Missing(words: "no \(kind): \(error)")
      }
      if [message["type"], message["method"], message["event"]].contains(.string(kind)) { return message }
      seen(message)
    }
    throw Missing(words: "no \(kind) within \(seconds) s")
  }

  /// How the server ended the connection; fails when it does not in time.
  func ended(within seconds: Double = 10) async -> WebSocketEnding {
    let socket = socket
    let guarding = Task {
      try await Task.sleep(for: .seconds(seconds))
      await socket.close(code: 1000, reason: "the test has waited \(seconds) s")
    }
    defer { guarding.cancel() }
    while await socket.next() != nil {}
    return await socket.ended()
  }

  struct Missing: Error, CustomStringConvertible {
    let words: String
    var description: String { words }
  }
}

/// What a caller says, by another voice than the agent's.
enum Question {
  static func samples(_ text: String, rate: SampleRate = .hz16000) throws -> [Float] {
    let speech = try SpeechSynthesizer(.rms).speak(text)
    let quiet = [Float](repeating: 0, count: 6_400)
    return AgentSound.resample(quiet + speech.samples + quiet + quiet, from: .hz16000, to: rate)
  }

  /// s16le.
  static func bytes(_ text: String, rate: SampleRate = .hz16000) throws -> [UInt8] {
    try samples(text, rate: rate).flatMap { sample in
      let value = UInt16(bitPattern: Int16(clamping: Int(sample * 32_767)))
      return [UInt8(value & 0xFF), UInt8(value >> 8)]
    }
  }
}

extension DemoAgentSettings {
  /// A fast, man-made voice and a fixed clock.
  static var forTests: DemoAgentSettings {
    var settings = DemoAgentSettings()
    settings.mind.voice = .kal16
    settings.mind.greeting = "Hello."
    settings.elevenLabs.pongSeconds = 600  // hand-written frames have no pongs
    settings.mind.timeOfDay = { (10, 30) }
    return settings
  }

  static func script(_ steps: [ScriptStep]) -> DemoAgentSettings {
    var settings = forTests
    settings.voice = .script(steps)
    return settings
  }
}
