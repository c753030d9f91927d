import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

/// The app's server and the platform, on one clock of 1 ms steps, without sockets.
private struct VoiceSocketPair {
  var core: VoiceSocketCore
  var line: PlatformLine
  var events: [VoiceSocketEvent] = []
  var heard: [UInt8] = []
  /// When each packet was sent, in milliseconds.
  var sentAt: [Int] = []
  var texts: [String] = []
  private(set) var milliseconds = 0
  var now: MediaInstant { MediaInstant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  init(_ format: VoiceSocketFormat = .l16At16kHz, capacity: Int = 1_024, headers: [String: String] = [:]) throws {
    var settings = VoiceSocketSettings()
    settings.platformPackets = capacity
    core = VoiceSocketCore(settings)
    line = PlatformLine(format, headers: headers, capacity: capacity)
    carryOut(core.receive(line.greeting, at: now))
  }

  mutating func carryOut(_ actions: [VoiceSocketCore.Action]) {
    for action in actions {
      switch action {
      case .tell(let event): events.append(event)
      case .close: Issue.record("closed")
      case .send(let message):
        if case .binary = message { sentAt.append(milliseconds) }
        if case .text(let text) = message { texts.append(text) }
        for answer in line.receive(message) { carryOut(core.receive(answer, at: now)) }
      }
    }
  }

  mutating func pass(milliseconds count: Int) {
    for _ in 0..<count {
      milliseconds += 1
      if let deadline = core.nextDeadline(at: now), deadline <= now { carryOut(core.timePassed(at: now)) }
      guard milliseconds % 20 == 0 else { continue }
      let tick = line.tick([UInt8](repeating: 0, count: line.format.packetByteCount))
      heard += tick.heard
      for message in tick.messages { carryOut(core.receive(message, at: now)) }
    }
  }

  mutating func send(_ bytes: [UInt8]) throws { carryOut(try core.send(bytes, at: now)) }
  mutating func mark(_ mark: String) throws { carryOut(try core.mark(mark, at: now)) }
  mutating func clear() throws { carryOut(try core.clear()) }
  mutating func finish() { carryOut(core.finish(at: now)) }

  var played: [String] { events.compactMap { if case .played(let mark) = $0 { mark } else { nil } } }
}

/// Bytes of which none is zero, so that silence can be told from sound.
private func sound(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(1 + $0 % 255) } }

@Suite("Vonage's Voice WebSocket")
struct VoiceSocketTests {
  @Test(
    "packets of exactly 20 ms, whatever size the sound comes in",
    arguments: [(VoiceSocketFormat.l16At8kHz, 320), (.l16At16kHz, 640), (.l16At24kHz, 960)])
  func packets(format: VoiceSocketFormat, size: Int) throws {
    #expect(format.packetByteCount == size)
    var random = SeededRandom(seed: UInt64(size))
    var pair = try VoiceSocketPair(format)
    let bytes = sound(size * 300 + 17)
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Int.random(in: 1...3_000, using: &random)
      try pair.send(Array(rest.prefix(piece)))
      rest = rest.dropFirst(piece)
      pair.pass(milliseconds: 7)
    }
    pair.finish()
    pair.pass(milliseconds: 8_000)
    #expect(pair.line.rejectedCount == 0 && pair.line.overflowCount == 0)
    let silence: UInt8 = 0
    let heard = pair.heard.drop { $0 == silence }
    #expect(heard.prefix(bytes.count).elementsEqual(bytes))
    #expect(heard.dropFirst(bytes.count).allSatisfy { $0 == silence })
    #expect(pair.line.underrunCount == 1)
  }

  @Test("four minutes at once are played whole: paced so that no queue ends", arguments: [1_024, 3_072])
  func pacing(capacity: Int) throws {
    var pair = try VoiceSocketPair(.l16At8kHz, capacity: capacity)
    let packets = 12_000
    try pair.send(sound(320 * packets))
    let burst = pair.sentAt.count
    #expect(burst >= capacity / 2 - 24 && burst <= capacity / 2)
    var most = 0
    for _ in 0..<packets {
      pair.pass(milliseconds: 20)
      most = max(most, pair.line.count)
    }
    #expect(pair.line.overflowCount == 0)
    #expect(most > capacity / 2 && most < capacity)
    #expect(pair.line.underrunCount == 0)
    let gaps = zip(pair.sentAt.dropFirst(burst), pair.sentAt.dropFirst(burst + 1)).map { $1 - $0 }
    #expect(gaps.allSatisfy { (18...21).contains($0) })
    #expect(pair.sentAt.count == packets)
  }

  @Test("without pacing the platform loses what is beyond its queue: the model of it is strict")
  func overflow() {
    var line = PlatformLine(.l16At8kHz, capacity: 1_024)
    for _ in 0..<1_100 { _ = line.receive(.binary(sound(320))) }
    #expect(line.overflowCount == 76)
    _ = line.receive(.binary(sound(319)))
    _ = line.receive(.binary(sound(640)))
    #expect(line.rejectedCount == 2)
    #expect(line.count == 1_024)
  }

  @Test("a mark is told when what was before it has been played, in order")
  func marks() throws {
    var pair = try VoiceSocketPair()
    try pair.mark("none before")
    #expect(pair.played == ["none before"])
    try pair.send(sound(640 * 5 + 1))
    try pair.mark("five and a bit")
    try pair.send(sound(640 * 5))
    try pair.mark("eleven")
    try pair.mark("eleven")
    pair.pass(milliseconds: 100)
    #expect(pair.played.count == 1)
    pair.pass(milliseconds: 20)
    #expect(pair.played == ["none before", "five and a bit"])
    pair.pass(milliseconds: 80)
    #expect(pair.played.count == 2)
    pair.pass(milliseconds: 20)
    #expect(pair.played == ["none before", "five and a bit", "eleven", "eleven"])
  }

  @Test("clear: silence from the next packet on, and no mark of what was cleared")
  func clear() throws {
    var pair = try VoiceSocketPair()
    try pair.send(sound(640 * 3_000 + 9))
    try pair.mark("never")
    pair.pass(milliseconds: 1_000)
    try pair.clear()
    let before = pair.heard.count
    #expect(pair.events.last == .cleared)
    #expect(pair.core.waitingMilliseconds(at: pair.now) == 0)
    pair.pass(milliseconds: 2_000)
    #expect(pair.heard.dropFirst(before).allSatisfy { $0 == 0 })
    // The next answer begins at once, with its own marks.
    try pair.send(sound(640))
    try pair.mark("next")
    pair.pass(milliseconds: 40)
    #expect(pair.played == ["next"])
    #expect(pair.heard.suffix(1_280).contains { $0 != 0 })
    // Played just before the platform saw the clear: it does not count either.
    pair.carryOut(pair.core.receive(.text(#"{"event":"websocket:notify","payload":{"mark":"never"}}"#), at: pair.now))
    #expect(pair.played == ["next"])
  }

  @Test("the greeting: format, and headers of any kind, flattened")
  func greeting() throws {
    var core = VoiceSocketCore(VoiceSocketSettings())
    let text =
      #"{"event":"websocket:connected","content-type":"audio/l16; RATE=24000","caller":"15550111","n":7,"o":{"a":true}}"#
    #expect(
      core.receive(.text(text), at: .zero) == [
        .tell(
          .connected(
            VoiceSocketInfo(format: .l16At24kHz, headers: ["caller": "15550111", "n": "7", "o": #"{"a":true}"#])))
      ])
    #expect(throws: VoiceSocketError.self) { try VoiceSocketPair().core.ownCopySend() }
  }

  @Test(
    "first messages that are no greeting are refused",
    arguments: [
      ("", 1002), ("{}", 1002), (#"{"event":"websocket:dtmf","digit":"5"}"#, 1002), ("[[[", 1002),
      (#"{"event":"websocket:connected"}"#, 1002),
      (#"{"event":"websocket:connected","content-type":"audio/l16;rate=44100"}"#, 1003),
      (#"{"event":"websocket:connected","content-type":"audio/opus"}"#, 1003),
    ])
  func noGreeting(text: String, code: Int) throws {
    var core = VoiceSocketCore(VoiceSocketSettings())
    guard case .close(let told, _)? = core.receive(.text(text), at: .zero).first else {
      Issue.record("not closed")
      return
    }
    #expect(told == code)
    #expect(core.receive(.text(PlatformLine(.l16At8kHz).greetingText), at: .zero).isEmpty)
    var other = VoiceSocketCore(VoiceSocketSettings())
    #expect(
      other.receive(.binary(sound(640)), at: .zero) == [
        .close(code: 1002, reason: "sound came before websocket:connected")
      ])
    #expect(throws: VoiceSocketError.notConnected) { try other.send([1, 2], at: .zero) }
    #expect(throws: VoiceSocketError.notConnected) { try other.mark("m", at: .zero) }
  }

  @Test(
    "keys in both shapes, and nothing else",
    arguments: [
      (#"{"event":"websocket:dtmf","digit":"5","duration":260}"#, VoiceSocketDigit("5", milliseconds: 260)),
      (##"{"dtmf":{"digit":"#"}}"##, VoiceSocketDigit("#")),
      (#"{"event":"websocket:dtmf","digit":"*"}"#, VoiceSocketDigit("*")),
      (#"{"dtmf":{"digit":"12"}}"#, nil), (#"{"dtmf":{"digit":5}}"#, nil), (#"{"dtmf":"5"}"#, nil),
      (#"{"event":"websocket:dtmf"}"#, nil), (#"{"event":"websocket:new","digit":"5"}"#, nil),
      (#"{"event":"websocket:notify","payload":"m1"}"#, nil), (#"{"event":7}"#, nil), ("\u{0}", nil),
      (#"{"event":"websocket:connected","content-type":"audio/l16;rate=8000"}"#, nil),
    ])
  func keys(text: String, digit: VoiceSocketDigit?) throws {
    var pair = try VoiceSocketPair()
    let before = pair.events.count
    pair.carryOut(pair.core.receive(.text(text), at: pair.now))
    #expect(pair.events.dropFirst(before) == (digit.map { [.digit($0)] } ?? [])[...])
  }

  @Test("texts as they are on the wire")
  func golden() {
    #expect(VoiceSocketServerMessage.clear.text == #"{"action":"clear"}"#)
    #expect(VoiceSocketServerMessage.notify(mark: "m1").text == #"{"action":"notify","payload":{"mark":"m1"}}"#)
    #expect(
      VoiceSocketPlatformMessage.connected(.l16At16kHz, headers: ["caller": "15550111"]).text
        == #"{"caller":"15550111","content-type":"audio/l16;rate=16000","event":"websocket:connected"}"#)
    #expect(
      VoiceSocketPlatformMessage.digit(VoiceSocketDigit("5", milliseconds: 260)).text
        == #"{"digit":"5","duration":260,"event":"websocket:dtmf"}"#)
    for message in [VoiceSocketServerMessage.clear, .notify(mark: "é \"")] {
      #expect(VoiceSocketServerMessage(message.text) == message)
    }
    for message in [VoiceSocketPlatformMessage.cleared, .played(mark: "x"), .digit(VoiceSocketDigit("0"))] {
      #expect(VoiceSocketPlatformMessage(message.text) == message)
    }
  }

  @Test("packets of another size are not heard, and are counted", arguments: [0, 1, 639, 641, 10_000])
  func wrongSizes(size: Int) throws {
    var pair = try VoiceSocketPair()
    pair.carryOut(pair.core.receive(.binary(sound(size)), at: pair.now))
    pair.carryOut(pair.core.receive(.binary(sound(640)), at: pair.now))
    #expect(pair.core.droppedPackets == 1)
    #expect(pair.events.last == .audio(sound(640)))
  }

  @Test("a backlog has an end", .timeLimit(.minutes(1)))
  func backlog() throws {
    var settings = VoiceSocketSettings()
    settings.largestBacklogPackets = 2_000
    var core = VoiceSocketCore(settings)
    _ = core.receive(.text(PlatformLine(.l16At8kHz).greetingText), at: .zero)
    _ = try core.send(sound(320 * 1_900), at: .zero)
    #expect(throws: VoiceSocketError.self) { try core.send(sound(320 * 1_000), at: .zero) }
    #expect(core.waitingMilliseconds(at: .zero) == 1_900 * 20)
    core.closed()
    #expect(throws: VoiceSocketError.notConnected) { try core.send([1, 2], at: .zero) }
    #expect(core.timePassed(at: .zero).isEmpty)
  }

  @Test("whatever is done in any order: nothing is lost but by clear, marks come in order", arguments: 0..<12)
  func interleavings(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var pair = try VoiceSocketPair(.l16At8kHz, capacity: 200)
    var wanted: [String] = []
    for step in 0..<200 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: try pair.send(sound(.random(in: 1...20_000, using: &random)))
      case 4:
        wanted.append("\(step)")
        try pair.mark("\(step)")
      case 5: pair.finish()
      case 6:
        if Int.random(in: 0..<5, using: &random) == 0 {
          let told = Set(pair.played)
          wanted.removeAll { !told.contains($0) }
          try pair.clear()
        }
      default: pair.pass(milliseconds: .random(in: 1...2_000, using: &random))
      }
    }
    pair.pass(milliseconds: pair.core.waitingMilliseconds(at: pair.now) + 100)
    #expect(pair.played == wanted, "seed \(seed)")
    #expect(pair.line.overflowCount == 0 && pair.line.rejectedCount == 0, "seed \(seed)")
    #expect(pair.line.unknownTexts.isEmpty)
  }
}

extension PlatformLine {
  fileprivate var greetingText: String { if case .text(let text) = greeting { text } else { "" } }
}

extension VoiceSocketCore {
  /// Sends on a copy that was never greeted.
  fileprivate func ownCopySend() throws(VoiceSocketError) {
    var core = VoiceSocketCore(VoiceSocketSettings())
    _ = try core.send([1, 2], at: .zero)
  }
}
