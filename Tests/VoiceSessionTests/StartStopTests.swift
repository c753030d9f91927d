import Foundation
import Networking
import Testing

@testable import VoiceSession

/// Calls that are begun and ended again and again leave nothing behind. `ANTIPHON_ROUNDS` says how often; 25 if not set.
@Suite("Start and stop", .serialized, .timeLimit(.minutes(15)))
struct StartStopTests {
  private static let rounds = ProcessInfo.processInfo.environment["ANTIPHON_ROUNDS"].flatMap(Int.init) ?? 25

  @Test("a WebRTC call") func peerConnections() async throws {
    try await leavesNothing {
      let call = try await TestPeers()
      try await call.connect()
      await call.close()
    }
  }

  @Test("a call that is given up at any moment") func givenUpCalls() async throws {
    var round = 0
    try await leavesNothing {
      round += 1
      let call = try await TestPeers()
      let connecting = Task { try? await call.connect() }
      try await Task.sleep(for: .milliseconds(round % 40))
      await call.close()
      await connecting.value
    }
  }

  @Test("a conversation over a socket") func conversations() async throws {
    try await leavesNothing { try await ElevenLabsCallTests.startAndStop() }
  }

  @Test("a widget's connection and call") func widgets() async throws {
    try await leavesNothing { try await WidgetCallTests.startAndStop() }
  }

  @Test("a call of two sockets, given up at any moment") func voiceCalls() async throws {
    var round = 0
    try await leavesNothing {
      round += 1
      try await VoiceCallTests.startAndGiveUp(after: .milliseconds(round * 7 % 120))
    }
  }

  private func leavesNothing(_ round: () async throws -> Void) async throws {
    // What is made once and kept, as the libraries' own tables and the executor's threads.
    for _ in 0..<5 { try await round() }
    let before = Belongings()
    for _ in 0..<Self.rounds { try await round() }
    let isSame = await eventually {
      let now = Belongings()
      // A leak would be one a round; the executor and the libraries may be a little ahead or behind.
      return now.descriptors <= before.descriptors + 2 && now.threads <= before.threads + 2
    }
    #expect(isSame, "before: \(before), after \(Self.rounds) rounds: \(Belongings())")
  }
}

/// What the process has of the system.
private struct Belongings: CustomStringConvertible {
  let descriptors = Self.count("/proc/self/fd")
  let threads = Self.count("/proc/self/task")

  var description: String { "\(descriptors) descriptors, \(threads) threads" }

  private static func count(_ folder: String) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
  }
}
