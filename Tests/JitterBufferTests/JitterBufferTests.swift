import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

@Suite struct JitterBufferTests {
  @Test func aSteadyNetworkAddsNoMoreThanOneCallOfDelayAndNoConcealment() throws {
    let signal = voice(seconds: 10, sampleRate: .hz16000)
    var buffer = try exactBuffer()
    let result = play(try packets(signal, format: exactFormat, sampleRate: .hz16000, delay: 23), through: &buffer)
    #expect(result.statistics.latePackets == 0 && result.statistics.missingPackets == 0)
    // After the last packet nothing comes: that alone is concealed.
    #expect(result.statistics.concealmentEvents == 1)
    #expect(result.delay(atMilliseconds: 9_000) <= 10)
    #expect(result.targets[900] <= 5)
    #expect(result.statistics.jitterBufferEmittedCount > 159_000)
  }

  @Test func samplesAreThoseThatWereSent() throws {
    let signal = voice(seconds: 2, sampleRate: .hz16000, pauses: false)
    var settings = JitterBufferSettings()
    settings.initialDelayMilliseconds = 0
    var buffer = try exactBuffer(settings)
    let result = play(try packets(signal, format: exactFormat, sampleRate: .hz16000), through: &buffer)
    // First packet sent at 20 ms, there at 40 ms, played in the call at 40 or 50 ms.
    let start = result.positions.firstIndex { $0 != nil }! * 160
    #expect(start <= 5 * 160)
    #expect(signalToNoise(signal, Array(result.samples[start..<start + signal.count])) > 80)
  }

  @Test func reorderingAndDuplicatesDoNotReachTheEar() throws {
    let signal = voice(seconds: 10, sampleRate: .hz16000)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in stride(from: 3, to: stream.count, by: 7) { stream[index].arrival! += 35 }
    for packet in stream where packet.sequence % 5 == 0 {
      var copy = packet
      copy.arrival! += 13
      stream.append(copy)
    }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer)
    #expect(result.statistics.duplicatePackets == 100)
    #expect(result.statistics.missingPackets <= 3)  // before the buffer knows
    #expect(result.statistics.concealedSamples - 8_000 < 16_000 / 10)  // 8,000 lie behind the end
  }

  @Test func lostPacketsAreConcealedForExactlyTheirDuration() throws {
    let signal = voice(seconds: 6, sampleRate: .hz48000, pauses: false)
    var stream = try packets(signal, format: .opus(), sampleRate: .hz48000)
    for index in [50, 100, 101, 150] { stream[index].arrival = nil }
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.missingPackets == 4)
    #expect(result.statistics.concealmentEvents == 3)
    #expect(result.statistics.concealedSamples == 4 * 960)
  }

  @Test func inBandCopiesReplaceLostPacketsOnceLossIsKnown() throws {
    let signal = voice(seconds: 20, sampleRate: .hz48000, pauses: false)
    var opus = OpusEncoderSettings()
    opus.forwardErrorCorrection = true
    opus.expectedPacketLoss = 20
    opus.bitrate = .bitsPerSecond(24_000)
    opus.bandwidth = .wideband
    var stream = try packets(signal, format: .opus(), sampleRate: .hz48000, opus: opus)
    for index in stride(from: 10, to: stream.count, by: 10) { stream[index].arrival = nil }
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    // Not every packet carries a copy, and the first losses teach the buffer to wait for one.
    let decoder = try AudioDecoder(.opus(), sampleRate: .hz48000)
    let copies = stream.indices.count { index in
      guard index > 0, stream[index - 1].arrival == nil else { return false }
      let payload = stream[index].payload
      return decoder.hasRedundancy(payload.span)
    }
    #expect(copies > 30 && result.statistics.missingPackets > 90)
    #expect(result.statistics.fecPacketsReceived > copies * 8 / 10)
    #expect(result.statistics.recoveredSamples > copies * 7 / 10 * 960)
  }

  @Test func aBurstOfLossIsConcealedAndFadesToSilence() throws {
    let signal = voice(seconds: 6, sampleRate: .hz48000, pauses: false)
    var stream = try packets(signal, format: .opus(), sampleRate: .hz48000)
    for index in 100..<150 { stream[index].arrival = nil }
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.concealmentEvents == 1)
    #expect(result.statistics.concealedSamples == 50 * 960)
    #expect(powerDecibels(result.samples[(48 * 2_700)..<(48 * 2_900)]) < -40)
    #expect(powerDecibels(result.samples[(48 * 3_200)..<(48 * 3_600)]) > -30)
  }

  @Test func aStallLeavesNoDelayBehind() throws {
    let signal = voice(seconds: 30, sampleRate: .hz16000)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in 500..<525 { stream[index].arrival = stream[525].arrival }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer)
    let before = result.delay(atMilliseconds: 9_900)
    // Two seconds after the stall has ended playout is where it was, within 20 ms.
    #expect(result.delay(atMilliseconds: 12_600) < before + 20)
  }

  @Test func aRouteChangeIsFollowedBothWays() throws {
    let signal = voice(seconds: 40, sampleRate: .hz16000)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in 500..<1_000 { stream[index].arrival! += 80 }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.concealedSamples < 16_000)
    #expect(result.statistics.missingPackets < 25)
    // 12 s after the way has become shorter the delay is back: 6 s hold, then 50 ms per second.
    #expect(result.delay(atMilliseconds: 33_000) < 30)
  }

  @Test func numbersMayWrapAnywhere() throws {
    let signal = voice(seconds: 4, sampleRate: .hz16000)
    var plain = try exactBuffer()
    var wrapping = try exactBuffer()
    let one = play(
      try packets(signal, format: exactFormat, sampleRate: .hz16000, firstSequence: 1_000, firstTimestamp: 1),
      through: &plain)
    let other = play(
      try packets(
        signal, format: exactFormat, sampleRate: .hz16000, firstSequence: 65_500, firstTimestamp: UInt32.max - 9_999),
      through: &wrapping)
    #expect(one.samples == other.samples)
    #expect(one.statistics == other.statistics)
    let shifted = zip(one.positions, other.positions).allSatisfy { a, b in
      a?.advanced(by: -1 - 9_999 - 1) == b
    }
    #expect(shifted)
  }

  @Test func positionIsExactForEverySampleThatIsPlayedUnchanged() throws {
    // Each sample tells its own number: a ramp that 16-bit PCM carries exactly.
    let ramp = (0..<32_000).map { Float($0 % 30_000) / 32_768 }
    var buffer = try exactBuffer()
    let stream = try packets(ramp, format: exactFormat, sampleRate: .hz16000, firstTimestamp: 0)
    let result = play(stream, through: &buffer, tail: 0)
    for (call, position) in result.positions.enumerated() {
      guard let position, position.rawValue < 30_000 else { continue }
      #expect(abs(result.samples[call * 160] * 32_768 - Float(position.rawValue)) < 1)
    }
  }

  @Test func pausesOfTheSenderAreNotLosses() throws {
    var opus = OpusEncoderSettings()
    opus.discontinuousTransmission = true
    let phrase = voice(seconds: 2, sampleRate: .hz48000, pauses: false)
    let silence = [Float](repeating: 0, count: 3 * 48_000)
    let speech = try packets(phrase + silence + phrase, format: .opus(), sampleRate: .hz48000, opus: opus)
    #expect(speech.count < 300)
    // As WebRTC does, a packet without speech (a lone TOC byte) announces each pause.
    var stream: [TestPacket] = []
    for packet in speech {
      if let last = stream.last, packet.timestamp &- last.timestamp > 960 {
        var announcement = last
        announcement.payload = [last.payload[0] & 0xFC]
        announcement.sent += 20
        announcement.arrival! += 20
        announcement.timestamp &+= 960
        announcement.sequence &+= 1
        stream.append(announcement)
      }
      var numbered = packet
      numbered.sequence = (stream.last?.sequence ?? 99) &+ 1
      stream.append(numbered)
    }
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.missingPackets == 0)
    #expect(result.statistics.comfortNoiseSamples > 48_000)
    #expect(result.statistics.concealedSamples == 0)
  }

  @Test func aTelephoneEventIsAPauseNotALoss() throws {
    let signal = voice(seconds: 4, sampleRate: .hz8000, pauses: false)
    var stream = try packets(signal, format: .pcmu, sampleRate: .hz8000)
    let events = stream[100..<105]
    stream.removeSubrange(100..<105)
    var buffer = try JitterBuffer(format: .pcmu, sampleRate: .hz8000)
    _ = play(Array(stream[..<100]), through: &buffer, tail: 10)
    for event in events { buffer.noteForeignPacket(sequenceNumber: SequenceNumber(event.sequence)) }
    let packet = stream[100]
    _ = buffer.insert(
      packet.payload.span, sequenceNumber: SequenceNumber(packet.sequence),
      timestamp: RTPTimestamp(packet.timestamp), at: MediaInstant(milliseconds: packet.arrival!))
    var frame = [Float](repeating: 0, count: 80)
    for call in 0..<15 {
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: 2_030 + Double(call) * 10))
    }
    let statistics = buffer.statistics
    #expect(statistics.missingPackets == 0)
    #expect(statistics.comfortNoiseSamples > 0)
  }

  @Test func packetDurationMayChangeInMidStream() throws {
    let signal = voice(seconds: 2, sampleRate: .hz48000, pauses: false)
    var stream: [TestPacket] = []
    for duration in [10_000, 20_000, 40_000, 60_000, 20_000] {
      let start = stream.last.map { $0.sent } ?? 0
      let more = try packets(
        signal, format: .opus(packetDuration: duration), sampleRate: .hz48000,
        firstSequence: (stream.last?.sequence ?? 99) &+ 1, firstTimestamp: 5_000 + UInt32(start * 48))
      stream += more.map {
        var packet = $0
        packet.sent += start
        packet.arrival! += start
        return packet
      }
    }
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.missingPackets == 0)
    // A longer packet comes later by the difference: only the changes to 20, 40 and 60 ms are heard.
    #expect(result.statistics.concealedSamples < 48 * 100)
  }

  @Test func garbageIsCountedAndConcealed() throws {
    let signal = voice(seconds: 4, sampleRate: .hz48000, pauses: false)
    var stream = try packets(signal, format: .opus(), sampleRate: .hz48000)
    for index in [60, 90, 120] { stream[index].payload = [0xFF, 0xFF, 0xFF] }
    stream[130].payload = []
    var buffer = try opusBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.malformedPackets == 4)
    #expect(result.statistics.concealedSamples >= 4 * 480)
    #expect(result.samples.allSatisfy { $0.isFinite })
  }

  @Test func oneAbsurdTimestampIsIgnoredAndANewTimeLineIsFollowed() throws {
    let signal = voice(seconds: 4, sampleRate: .hz16000)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    stream[50].timestamp &+= 0x7000_0000
    for index in 100..<stream.count { stream[index].timestamp &+= 0x4000_0000 }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.implausiblePackets == 2)
    #expect(result.statistics.restarts == 1)
    #expect(result.outcomes[101] == .restarted)
    #expect(result.statistics.jitterBufferEmittedCount > 60_000)
  }

  @Test func resetTakesANewSenderAtOnce() throws {
    let signal = voice(seconds: 2, sampleRate: .hz16000)
    var buffer = try exactBuffer()
    _ = play(try packets(signal, format: exactFormat, sampleRate: .hz16000), through: &buffer, tail: 0)
    buffer.reset()
    #expect(buffer.packetCount == 0)
    let result = play(
      try packets(signal, format: exactFormat, sampleRate: .hz16000, firstSequence: 7, firstTimestamp: 900_000_000),
      through: &buffer, tail: 0)
    #expect(result.outcomes.allSatisfy { $0 == .inserted })
    #expect(result.statistics.implausiblePackets == 0)
  }

  @Test func flushIsSilentWithinFiveMillisecondsAndRefusesWhatWasSentBefore() throws {
    let signal = voice(seconds: 3, sampleRate: .hz16000, pauses: false)
    let stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    var buffer = try exactBuffer()
    _ = play(Array(stream[..<100]), through: &buffer, tail: 0)
    buffer.flush()
    var frame = [Float](repeating: 1, count: 160)
    var span = frame.mutableSpan
    buffer.playout(into: &span, at: MediaInstant(milliseconds: 2_040))
    #expect(frame[80...].allSatisfy { $0 == 0 })
    let (late, later) = (stream[98], stream[110])
    let old = buffer.insert(
      late.payload.span, sequenceNumber: SequenceNumber(late.sequence), timestamp: RTPTimestamp(late.timestamp),
      at: MediaInstant(milliseconds: 2_045))
    #expect(old == .tooLate)
    let new = buffer.insert(
      later.payload.span, sequenceNumber: SequenceNumber(later.sequence), timestamp: RTPTimestamp(later.timestamp),
      at: MediaInstant(milliseconds: later.arrival!))
    #expect(new == .inserted)
  }

  @Test func playoutIsBackOnScheduleAtOnceAfterTheDeviceStoodStill() throws {
    let signal = voice(seconds: 6, sampleRate: .hz16000, pauses: false)
    let stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    var buffer = try exactBuffer()
    _ = play(Array(stream[..<100]), through: &buffer, tail: 0)
    for packet in stream[100..<200] {
      _ = buffer.insert(
        packet.payload.span, sequenceNumber: SequenceNumber(packet.sequence),
        timestamp: RTPTimestamp(packet.timestamp), at: MediaInstant(milliseconds: packet.arrival!))
    }
    var frame = [Float](repeating: 0, count: 160)
    for call in 0..<3 {
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: 4_000 + Double(call) * 10))
    }
    let delay = Double(buffer.playoutDelay) * 1e-6
    #expect(delay < 60)
  }
}
