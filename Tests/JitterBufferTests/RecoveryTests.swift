import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// Copies carried by other packets (RED), packets asked for again, noise described in place of sound.
@Suite struct RecoveryTests {
  /// Every packet carries the two before it: once loss is known, it costs nothing.
  @Test func copiesReplaceLostPackets() throws {
    let signal = voice(seconds: 20, sampleRate: .hz16000, pauses: false)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in stride(from: 20, to: stream.count, by: 20) { stream[index].arrival = nil }
    let sent = stream
    let call = try Call()
    call.play(stream[...]) { buffer, packet in Self.insert(&buffer, packet, levels: 2, of: sent) }
    let statistics = call.statistics
    // The first losses teach the buffer to wait for copies.
    #expect(statistics.missingPackets <= 2 && statistics.concealedSamples < 5 * 320)
    #expect(statistics.recoveredSamples > 45 * 320)
    #expect(statistics.fecPacketsReceived > 1_800)
    let used = statistics.fecPacketsReceived - statistics.fecPacketsDiscarded
    #expect((0...2).contains(used - statistics.recoveredSamples / 320), "\(used)")
    // The copies are the packets: what is heard is what was sent.
    let tail = Array(call.samples.suffix(32_000))
    let position = try #require(call.timestamp(of: call.samples.count - 32_000))
    let start = Int(position.rawValue) - 5_000
    #expect(signalToNoise(tail, Array(signal[start..<start + 32_000])) > 30)
  }

  @Test func aPacketTakesThePlaceOfItsCopy() throws {
    let stream = try packets(voice(seconds: 1, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    var buffer = try exactBuffer()
    Call.insert(&buffer, stream[0])
    let (copy, late, far) = (stream[1], stream[1], stream[2])
    func insertCopy(_ packet: TestPacket) -> InsertOutcome {
      let payload = FixedBuffer<UInt8>(bytes: packet.payload)
      return buffer.insertCopy(
        payload.view, sequenceNumber: SequenceNumber(packet.sequence), timestamp: RTPTimestamp(packet.timestamp),
        at: MediaInstant(milliseconds: 60))
    }
    let first = insertCopy(copy)
    let again = insertCopy(copy)
    Call.insert(&buffer, far)
    Call.insert(&buffer, late)
    let afterwards = insertCopy(late)
    let count = buffer.packetCount
    #expect(first == .inserted && again == .duplicate && afterwards == .duplicate && count == 3)
    let statistics = buffer.statistics
    #expect(statistics.fecPacketsReceived == 3 && statistics.fecPacketsDiscarded == 3)
    #expect(statistics.duplicatePackets == 0)
  }

  @Test func missingNumbersAreAskedForOnceARoundTrip() throws {
    var stream = try packets(voice(seconds: 2, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    for index in [40, 60, 61] { stream[index].arrival = nil }
    var settings = JitterBufferSettings()
    settings.minimumDelayMilliseconds = 150
    let call = try Call(settings)
    var asked: [Int: [UInt16]] = [:]
    let all = stream
    var numbers = [UInt16](repeating: 0, count: 16)
    for index in 20..<90 {
      if index == 20 { call.play(stream[..<20]) }
      call.play(all[index..<index + 1])
      var span = numbers.mutableSpan
      let count = call.buffer.retransmissionRequests(
        into: &span, roundTripNanoseconds: 50_000_000, at: MediaInstant(milliseconds: Double(call.milliseconds)))
      if count > 0 { asked[index] = Array(numbers[..<count]) }
      // The answer to the first request comes in time.
      if asked[index]?.contains(140) == true && index < 43 {
        var answer = all[40]
        answer.arrival = Double(call.milliseconds) + 45
        let again = answer
        call.play([again])
      }
    }
    let total = asked.values.flatMap { $0 }
    #expect(total.count { $0 == 140 } == 1)
    #expect((1...3).contains(total.count { $0 == 160 }) && (1...3).contains(total.count { $0 == 161 }))
    #expect(Set(total) == [140, 160, 161])
    let statistics = call.statistics
    #expect(statistics.retransmittedPacketsReceived == 1)
    #expect(statistics.missingPackets == 2)
    // A round trip longer than the delay makes asking useless.
    var late = try exactBuffer()
    for packet in stream[..<45] where packet.arrival != nil { Call.insert(&late, packet) }
    var span = numbers.mutableSpan
    let count = late.retransmissionRequests(
      into: &span, roundTripNanoseconds: 900_000_000, at: MediaInstant(milliseconds: 930))
    #expect(count == 0)
  }

  /// G.711 with pauses described by comfort noise packets: no loss, and the noise has the level that was told.
  @Test func describedNoiseFillsThePauses() throws {
    let speech = voice(seconds: 2, sampleRate: .hz8000, pauses: false)
    var stream = try packets(speech, format: .pcmu, sampleRate: .hz8000)
    let more = try packets(speech, format: .pcmu, sampleRate: .hz8000)
    // One description after the speech, another half a second later; two seconds of pause.
    var noise: [TestPacket] = []
    for (part, level) in [40, 50].enumerated() {
      noise.append(
        TestPacket(
          sequence: UInt16(200 + part), timestamp: UInt32(5_000 + 100 * 160 + part * 8_000), payload: [UInt8(level)],
          sent: 2_000, arrival: 2_040 + Double(part) * 1_000))
    }
    for var packet in more {
      packet.sequence += 102
      packet.timestamp += 100 * 160 + 16_000
      packet.arrival! += 4_000
      stream.append(packet)
    }
    var buffer = try JitterBuffer(format: .pcmu, sampleRate: .hz8000)
    var frame = [Float](repeating: 0, count: 80)
    var heard: [Float] = []
    let arrivals = (stream + noise).sorted { $0.arrival! < $1.arrival! }
    var next = 0
    for call in 0..<560 {
      while next < arrivals.count && arrivals[next].arrival! <= Double(call) * 10 {
        let packet = arrivals[next]
        if packet.payload.count == 1 {
          let payload = FixedBuffer<UInt8>(bytes: packet.payload)
          let outcome = buffer.insertComfortNoise(
            payload.view, sequenceNumber: SequenceNumber(packet.sequence), timestamp: RTPTimestamp(packet.timestamp),
            at: MediaInstant(milliseconds: packet.arrival!))
          #expect(outcome == .inserted)
        } else {
          Call.insert(&buffer, packet)
        }
        next += 1
      }
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: Double(call) * 10))
      heard += frame
    }
    let statistics = buffer.statistics
    #expect(statistics.missingPackets == 0 && statistics.concealedSamples == 0)
    #expect(abs(statistics.comfortNoiseSamples - 16_000) < 400)
    #expect(abs(powerDecibels(heard[8 * 2_300..<8 * 2_900]) + 40) < 1)
    #expect(abs(powerDecibels(heard[8 * 3_400..<8 * 3_900]) + 50) < 1)
    #expect(powerDecibels(heard[8 * 4_300..<8 * 5_400]) > -30)
  }

  /// Inserts a packet with copies of the `levels` before it, as a receiver of RED does.
  static func insert(_ buffer: inout JitterBuffer, _ packet: TestPacket, levels: Int, of sent: [TestPacket]) {
    let index = Int(packet.sequence) - 100
    for level in stride(from: levels, to: 0, by: -1) where index >= level {
      let copy = sent[index - level]
      let payload = FixedBuffer<UInt8>(bytes: copy.payload)
      _ = buffer.insertCopy(
        payload.view, sequenceNumber: SequenceNumber(copy.sequence), timestamp: RTPTimestamp(copy.timestamp),
        at: MediaInstant(milliseconds: packet.arrival!))
    }
    Call.insert(&buffer, packet)
  }
}

extension FixedBuffer where Element == UInt8 {
  init(bytes: [UInt8]) {
    self.init(repeating: 0, count: bytes.count)
    for index in bytes.indices { self[index] = bytes[index] }
  }
}
