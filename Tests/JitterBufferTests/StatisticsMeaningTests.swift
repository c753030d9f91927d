import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// Each counter against what W3C webrtc-stats (RTCInboundRtpStreamStats) says that it means.
@Suite struct StatisticsMeaningTests {
  /// "The time each sample takes from the time it is received by the jitter buffer to the time it exits": a packet that
  /// comes at once and leaves 100 ms later has waited 100 ms, its later samples longer by their place in it.
  @Test func delayIsTheTimeFromArrivalToPlayout() throws {
    var settings = JitterBufferSettings()
    settings.minimumDelayMilliseconds = 100
    var buffer = try exactBuffer(settings)
    let stream = try packets(voice(seconds: 10, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    let statistics = play(stream, through: &buffer, tail: 0).statistics
    let emitted = Double(statistics.jitterBufferEmittedCount)
    // 100 ms, and 10 ms as the mean place in a packet of 20 ms.
    #expect(abs(statistics.jitterBufferDelay / emitted - 0.110) < 0.012)
    #expect(abs(statistics.jitterBufferTargetDelay / emitted - 0.100) < 0.001)
    // "Not affected by external mechanisms that increase the jitter buffer target delay."
    #expect(statistics.jitterBufferMinimumDelay / emitted < 0.025)
    #expect(statistics.jitterBufferEmittedCount == statistics.totalSamplesReceived)
  }

  /// "Samples from lost packets … or samples from packets that arrive too late"; "a single concealment event" for each run;
  /// silent ones are "a subset of concealedSamples"; totals include concealed samples.
  @Test func concealmentCountsLostAndLateSamplesByRun() throws {
    let signal = voice(seconds: 10, sampleRate: .hz16000, pauses: false)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in [100, 101, 200] { stream[index].arrival = nil }
    stream[300].arrival! += 200  // too late: discarded
    for index in 400..<440 { stream[index].arrival = nil }  // 800 ms: fades to silence
    var buffer = try exactBuffer()
    let statistics = play(stream, through: &buffer, tail: 0).statistics
    #expect(statistics.concealmentEvents == 4)
    #expect(abs(statistics.concealedSamples - 44 * 320) < 400)
    #expect(statistics.packetsDiscarded == 1 && statistics.latePackets == 1)
    #expect(statistics.missingPackets >= 43 && statistics.missingPackets <= 44)
    #expect(statistics.silentConcealedSamples > 300 * 16)
    #expect(statistics.silentConcealedSamples < statistics.concealedSamples)
    #expect(
      statistics.totalSamplesReceived == statistics.jitterBufferEmittedCount + statistics.concealedSamples
        + statistics.comfortNoiseSamples)
  }

  /// "RTP packets discarded due to packet duplication are not reported in this metric"; what a flush takes was neither late
  /// nor early.
  @Test func duplicatesAndFlushesAreNoDiscards() throws {
    var stream = try packets(voice(seconds: 4, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    for index in 0..<50 { stream.append(stream[index]) }
    var buffer = try exactBuffer()
    _ = play(stream, through: &buffer, tail: 0)
    for packet in stream[50..<60] {
      var later = packet
      later.sequence &+= 10_000
      later.timestamp &+= 64_000
      later.arrival = 4_060
      Call.insert(&buffer, later)
    }
    buffer.flush()
    let statistics = buffer.statistics
    #expect(statistics.duplicatePackets == 50)
    #expect(statistics.packetsDiscarded == 0)
    #expect((10...12).contains(statistics.flushedPackets))  // and what had waited
  }

  /// "The difference between the number of samples received and the number of samples played out", up and down.
  @Test func stretchedSamplesAreTheDifferenceOfReceivedAndPlayed() throws {
    let signal = voice(seconds: 40, sampleRate: .hz16000)
    var stream = try packets(signal, format: exactFormat, sampleRate: .hz16000)
    for index in stream.indices { stream[index].arrival! += min(40, Double(index) * 0.03) }
    let call = try Call()
    call.play(stream[...])
    let statistics = call.statistics
    #expect(statistics.insertedSamplesForDeceleration + statistics.removedSamplesForAcceleration > 0)
    let played = statistics.jitterBufferEmittedCount
    let decoded = Int(try #require(call.timestamp(of: call.samples.count - 1)).rawValue) + 1 - 5_000
    let stretched = statistics.insertedSamplesForDeceleration - statistics.removedSamplesForAcceleration
    // What was concealed was passed over.
    let tolerance = 400 + statistics.concealedSamples
    #expect(abs(played - decoded - stretched) <= tolerance, "\(played) \(decoded) \(stretched) \(tolerance)")
  }

  /// FEC packets are counted when they come; discarded ones are "a subset of fecPacketsReceived"; what they restore is
  /// not "synthesized locally", so not concealed.
  @Test func restoredSamplesAreNotConcealed() throws {
    var opus = OpusEncoderSettings()
    opus.forwardErrorCorrection = true
    opus.expectedPacketLoss = 20
    opus.bitrate = .bitsPerSecond(24_000)
    opus.bandwidth = .wideband
    var settings = JitterBufferSettings()
    settings.minimumDelayMilliseconds = 60
    let signal = voice(seconds: 10, sampleRate: .hz48000, pauses: false)
    var stream = try packets(signal, format: .opus(), sampleRate: .hz48000, opus: opus)
    let decoder = try AudioDecoder(.opus(), sampleRate: .hz48000)
    let copies = stream.indices.map { index in
      let payload = stream[index].payload
      return decoder.hasRedundancy(payload.span)
    }
    let lost = stride(from: 20, to: stream.count - 1, by: 10).filter { copies[$0 + 1] }
    for index in lost { stream[index].arrival = nil }
    var buffer = try opusBuffer(settings)
    let statistics = play(stream, through: &buffer, tail: 0).statistics
    #expect(lost.count > 5 && statistics.recoveredSamples >= lost.count * 960 * 9 / 10)
    #expect(statistics.concealedSamples <= 960)
    let arrived = copies.indices.count { copies[$0] && stream[$0].arrival != nil }
    #expect(statistics.fecPacketsReceived == arrived)
    #expect(statistics.fecPacketsReceived - statistics.fecPacketsDiscarded - lost.count <= buffer.packetCount)
  }
}
