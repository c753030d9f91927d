import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct TelephoneEventTests {
  /// What goes out for `keys`, 20 ms of 8 kHz a frame: the packets, and the frames in which the microphone was heard.
  private func send(_ keys: [(code: UInt8, ticks: Int)], frames: Int) throws -> (packets: [[UInt8]], heard: [Int]) {
    var sender = TelephoneEventSender(pauseTicks: 400)
    for key in keys {
      let taken = sender.press(key.code, ticks: key.ticks)
      #expect(taken)
    }
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(10),
      firstTimestamp: RTPTimestamp(4_294_967_000))
    var packets: [[UInt8]] = []
    var heard: [Int] = []
    for frame in 0..<frames {
      guard let next = sender.next(at: packetizer.nextTimestamp, ticksPerFrame: 160) else {
        heard.append(frame)
        packetizer.skip(ticks: 160)
        continue
      }
      for _ in 0..<next.copies {
        var bytes = [UInt8](repeating: 0, count: 40)
        var span = bytes.mutableSpan
        let byteCount = try packetizer.write(
          next.event, payloadType: 101, timestamp: next.timestamp, marker: next.marker, into: &span)
        packets.append(Array(bytes[..<byteCount]))
      }
      packetizer.skip(ticks: 160)
    }
    #expect(!sender.isBusy)
    return (packets, heard)
  }

  @Test func wiresharkReadsTheKeys() throws {
    let (packets, heard) = try send([(5, 800), (11, 160)], frames: 12)
    let rows = try Wireshark.fields(
      ["rtpevent.event_id", "rtpevent.duration", "rtpevent.end_of_event", "rtp.marker", "rtp.timestamp", "rtp.seq"],
      of: packets, as: "rtp")
    let events = rows.map { row in
      [row["rtpevent.event_id"], row["rtpevent.duration"], row["rtpevent.end_of_event"]].map { $0?.first ?? "" }
    }
    let isEnd = { (text: String) in text == "True" || text == "1" }
    #expect(events.map { $0[0] } == ["5", "5", "5", "5", "5", "5", "5", "11", "11", "11"])
    #expect(events.map { $0[1] } == ["160", "320", "480", "640", "800", "800", "800", "160", "160", "160"])
    #expect(events.map { isEnd($0[2]) } == [false, false, false, false, true, true, true, true, true, true])
    let first = "4294967000"
    let second = "\((4_294_967_000 + 8 * 160) % 4_294_967_296)"
    #expect(rows.map { $0["rtp.timestamp"]?.first } == Array(repeating: first, count: 7) + [second, second, second])
    #expect(rows.map { $0["rtp.seq"]?.first } == (10..<20).map { "\($0)" })
    #expect(packets.map { $0[1] & 0x80 != 0 } == [true] + Array(repeating: false, count: 6) + [true, true, true])
    #expect(heard == [5, 6, 7, 9, 10, 11])
  }

  /// Any packets of a key may get lost, as long as one comes; copies come late.
  @Test func eachKeyIsToldOnceWhateverGetsLost() throws {
    let (packets, _) = try send([(1, 480), (1, 480), (2, 480)], frames: 30)
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var receiver = TelephoneEventReceiver()
      var began: [UInt8] = []
      var ended: [UInt8] = []
      var survivors = Set<UInt32>()
      for bytes in packets {
        guard Int.random(in: 0..<100, using: &random) < 60 else { continue }
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          let packet = try RTPPacket(bytes.span)
          survivors.insert(packet.header.timestamp.rawValue)
          let payload = Array(bytes[packet.payloadRange])
          guard let event = TelephoneEvent(payload.span) else { throw CancellationError() }
          switch receiver.receive(event, at: packet.header.timestamp) {
          case .none: break
          case .started(let code): began.append(code)
          case .ended(let code, _, let wasStarted):
            if !wasStarted { began.append(code) }
            ended.append(code)
          }
        }
      }
      #expect(began.count == survivors.count)
      #expect(ended.count <= began.count)
    }
  }

  @Test func shortPayloadsAndFullQueuesAreRefused() {
    let short = [1, 2, 3] as [UInt8]
    let event = TelephoneEvent(short.span)
    #expect(event == nil)
    var sender = TelephoneEventSender(pauseTicks: 0)
    let taken = (0..<33).map { _ in sender.press(1, ticks: 100) }
    #expect(taken == Array(repeating: true, count: 32) + [false])
    #expect(TelephoneEvent.code(of: "#") == 11 && TelephoneEvent.code(of: "d") == 15)
    #expect(TelephoneEvent.code(of: "x") == nil && TelephoneEvent.key(of: 16) == nil)
  }
}
