import AudioCodecs
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// What waits for `poll`, and what becomes of it when nobody comes or the buffer is small.
@Suite struct PollTests {
  @Test func aPacketThatDoesNotFitIsDroppedAndCounted() throws {
    var engine = try MediaEngine(.plain(.l16(.hz16000)))
    engine.capture([Float](repeating: 0.1, count: 320 * 3).span, at: .zero)
    var small = [UInt8](repeating: 0, count: 100)
    #expect(engine.poll(into: &small, at: .zero) == .wait)
    #expect(engine.statistics.faults.unsentPackets == 3)
    #expect(engine.statistics.outboundRTP.packetsSent == 0)
    engine.capture([Float](repeating: 0.1, count: 320).span, at: .zero)
    var large = [UInt8](repeating: 0, count: 1_500)
    #expect(engine.poll(into: &large, at: .zero) == .transmit(byteCount: 652))
    #expect(engine.statistics.outboundRTP.packetsSent == 1)
    var none: [UInt8] = []
    engine.capture([Float](repeating: 0.1, count: 320).span, at: .zero)
    #expect(engine.poll(into: &none, at: .zero) == .wait)
    #expect(engine.statistics.faults.unsentPackets == 4)
  }

  /// The longest wait is bounded: what is kept is the newest 1.28 s.
  @Test func whenNobodyPollsTheNewestPacketsAreKept() throws {
    var settings = MediaEngineSettings.plain(.pcmu)
    settings.stream = .init(ssrc: 1, firstSequenceNumber: 0, firstTimestamp: 0)
    var engine = try MediaEngine(settings)
    for _ in 0..<1_000 { engine.capture([Float](repeating: 0.1, count: 320).span, at: .zero) }
    let kept = engine.datagrams(at: .zero)
    #expect(kept.count == 64)
    #expect(kept.map(sequenceNumber) == (936..<1_000).map { $0 })
    #expect(engine.statistics.faults.unsentPackets == 936)
    #expect(engine.statistics.outboundRTP.packetsSent == 64)
    engine.capture([Float](repeating: 0.1, count: 320).span, at: .zero)
    #expect(engine.datagrams(at: .zero).map(sequenceNumber) == [1_000])
  }

  @Test func eventsComeInOrderAfterPackets() throws {
    var settings = MediaEngineSettings.voiceAgent
    settings.captureRate = .hz16000
    var engine = try MediaEngine(settings)
    let speech = try speech("mic", at: .hz16000)
    var events: [MediaEvent] = []
    for tick in 0..<1_500 {
      engine.capture(speech.block(tick: tick, rate: .hz16000).span, at: .zero)
      events += engine.drained(at: .zero).events
    }
    #expect(events.first == .speechStarted)
    #expect(events.last == .speechEnded)
    #expect(events.count % 2 == 0)
    for (index, event) in events.enumerated() {
      #expect(event == (index % 2 == 0 ? .speechStarted : .speechEnded))
    }
  }

  private func sequenceNumber(_ packet: [UInt8]) -> Int { Int(packet[2]) << 8 | Int(packet[3]) }
}
