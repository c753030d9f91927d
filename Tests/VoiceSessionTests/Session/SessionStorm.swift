import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

/// Drives a session with anything in any order, and looks after what must hold whatever comes.
struct SessionStorm<D: SessionDialect> {
  var harness: SessionHarness<D>
  var random: SeededRandom
  let commands: [SessionCommand<D.Command>]
  let texts: [String]
  let sockets: [D.Socket]
  let requests: [D.Request]
  private var mayEnd: Bool

  /// - Parameters:
  ///   - texts: messages of the wire, good and bad.
  ///   - mayEnd: whether the user may end it before the storm is over.
  init(
    _ dialect: D, seed: UInt64, commands: [SessionCommand<D.Command>], texts: [String], sockets: [D.Socket],
    requests: [D.Request] = [], mayEnd: Bool = true
  ) {
    harness = SessionHarness(dialect)
    random = SeededRandom(seed: seed)
    self.commands = commands
    self.texts = texts
    self.sockets = sockets
    self.requests = requests
    self.mayEnd = mayEnd
  }

  /// Returns the number of events that the session has told.
  @discardableResult
  mutating func run(steps: Int) -> Int {
    if random.next() % 10 > 0 { try? harness.perform(.start) }
    for _ in 0..<steps { step() }
    try? harness.perform(.end)
    harness.tell(.released)
    check()
    return harness.actions.events().count
  }

  private mutating func step() {
    let socket = sockets.randomElement(using: &random)!
    switch random.next() % 16 {
    case 0...5: harness.receive(texts.randomElement(using: &random)!, from: socket)
    case 6: if let command = commands.randomElement(using: &random) { try? harness.perform(command) }
    case 7: harness.pass(seconds: Double(random.next() % 3_000) / 1_000)
    case 8, 9: harness.open(socket)
    case 10:
      guard random.next() % 8 == 0 else { return }
      harness.close(
        socket, code: [nil, 1000, 1001, 1006, 1008, 1011, 4000, 4001].randomElement(using: &random)!,
        wasOpen: random.next() % 2 == 0)
    case 11: if let request = requests.randomElement(using: &random) { answer(request) }
    case 12:
      try? harness.perform(
        [.mute(true), .mute(false), .systemMute(true), .systemMute(false)].randomElement(using: &random)!)
    case 13, 14: harness.media(media())
    default: if mayEnd, random.next() % 64 == 0 { try? harness.perform(.end) }
    }
  }

  private mutating func answer(_ request: D.Request) {
    switch random.next() % 4 {
    case 0: harness.tell(.answered(request, .failure(SessionError(.network, "gone"))))
    case 1: harness.answer(request, status: [401, 404, 429, 500].randomElement(using: &random)!)
    default: harness.answer(request, (try? JSON(parsing: texts.randomElement(using: &random)!)) ?? .object([:]))
    }
  }

  private mutating func media() -> SessionMediaEvent {
    switch random.next() % 12 {
    case 0: .connected
    case 1: .disconnected
    case 2: .speechStarted
    case 3: .speechEnded
    case 4: .playout(SessionPlayout(item: Int(random.next() % 8), milliseconds: Double(random.next() % 4_000)))
    case 5: .playout(nil)
    case 6: .offer("v=0")
    case 7: .localCandidate("candidate:1 1 udp 1 127.0.0.1 9 typ host", mid: "0")
    case 8: .endOfLocalCandidates
    case 9: .receiving(random.next() % 2 == 0)
    default: .microphone([1, 2, 3, 4])
    }
  }

  private func check() {
    let events = harness.actions.events()
    let states = harness.actions.states()
    var rank = 0
    for state in states {
      #expect(state.rank >= rank, "the state went back to \(state)")
      rank = state.rank
    }
    #expect(states.count { $0.isOver } == 1)
    #expect(harness.actions.releases() == 1, "the session was not released, or twice")
    let last = events.lastIndex { if case .state(let state) = $0 { state.isOver } else { false } }
    #expect(last == events.count - 2, "something was told behind the end")
    guard case .released? = events.last else {
      Issue.record("the last event is not released")
      return
    }
    let release = harness.actions.firstIndex { if case .release = $0 { true } else { false } }
    let behind = harness.actions[(release! + 1)...]
    #expect(behind.count == 1, "something was done behind the release")
  }
}
