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
      later.sequence &+= 1_000
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

  /// "The target delay, in seconds, at the time that the sample was emitted": a target that changes counts for the samples
  /// played under it, and the sums stand still while nothing is emitted.
  @Test func targetsCountWhenSamplesAreEmitted() throws {
    let stream = try packets(
      voice(seconds: 8, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000)
    let call = try Call()
    call.play(stream[..<200])
    let before = call.statistics
    // Half a second without packets: concealed, so nothing is emitted.
    var late = stream[200]
    late.arrival! += 500
    let held = late
    call.play([held])
    let after = call.statistics
    let emitted = after.jitterBufferEmittedCount - before.jitterBufferEmittedCount
    #expect(emitted < 3 * 320 && after.concealedSamples > 400 * 16)
    #expect(after.jitterBufferTargetDelay - before.jitterBufferTargetDelay <= 0.05 * Double(emitted))
    #expect(after.jitterBufferDelay - before.jitterBufferDelay <= 0.1 * Double(emitted))
  }

  /// "The minimum obtainable jitter buffer delay if no external factors would affect it": the network's part alone, also
  /// where the target is held high.
  @Test func theMinimumIsTheNetworksPart() throws {
    var stream = try packets(voice(seconds: 10, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    for index in stride(from: 1, to: stream.count, by: 2) { stream[index].arrival! += 30 }
    func means(_ minimum: Int) throws -> (target: Double, network: Double) {
      var settings = JitterBufferSettings()
      settings.minimumDelayMilliseconds = minimum
      var buffer = try exactBuffer(settings)
      let statistics = play(stream, through: &buffer, tail: 0).statistics
      let emitted = Double(statistics.jitterBufferEmittedCount)
      return (statistics.jitterBufferTargetDelay / emitted, statistics.jitterBufferMinimumDelay / emitted)
    }
    let (free, held) = (try means(0), try means(150))
    #expect(abs(free.target - free.network) < 1e-9)
    #expect(held.target > 0.149 && abs(held.network - free.network) < 0.003, "\(held) \(free)")
  }

  /// "This includes concealedSamples"; a sender's pause is neither lost nor late, so its noise is received, not concealed.
  @Test func pausesAreReceivedAndNotConcealed() throws {
    let speech = try packets(
      voice(seconds: 1, sampleRate: .hz8000, pauses: false), format: .pcmu, sampleRate: .hz8000)
    var buffer = try JitterBuffer(format: .pcmu, sampleRate: .hz8000)
    _ = play(speech, through: &buffer, tail: 0)
    let noise = FixedBuffer<UInt8>(bytes: [50])
    _ = buffer.insertComfortNoise(
      noise.view, sequenceNumber: SequenceNumber(150), timestamp: RTPTimestamp(5_000 + 50 * 160),
      at: MediaInstant(milliseconds: 1_035))
    let before = buffer.statistics
    var frame = [Float](repeating: 0, count: 80)
    for call in 103..<203 {
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: Double(call) * 10))
    }
    let after = buffer.statistics
    #expect(after.totalSamplesReceived - before.totalSamplesReceived == 8_000)
    #expect(after.comfortNoiseSamples > 7_400 && after.concealedSamples - before.concealedSamples <= 160)
    #expect(after.silentConcealedSamples == before.silentConcealedSamples)
  }

  /// "Discarded by the jitter buffer due to late or early-arrival": what comes seconds away from its time, and what a full
  /// buffer has no room for.
  @Test func whatComesAtTheWrongTimeIsDiscarded() throws {
    var settings = JitterBufferSettings()
    settings.packetCapacity = 8
    let stream = try packets(voice(seconds: 2, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    var buffer = try exactBuffer(settings)
    for packet in stream[..<12] { Call.insert(&buffer, packet) }  // nobody plays: four too many
    var far = stream[20]
    far.timestamp &+= 16_000 * 10
    Call.insert(&buffer, far)
    let statistics = buffer.statistics
    #expect(statistics.packetsDiscarded == 5 && statistics.implausiblePackets == 1 && statistics.latePackets == 0)
    #expect(statistics.packetsReceived == 13)
  }

  /// "If all the source packets protected by the FEC packet were received", or "if the FEC packet arrived late".
  @Test func copiesOfWhatCameAndCopiesTooLateAreDiscarded() throws {
    let stream = try packets(
      voice(seconds: 2, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000)
    let call = try Call()
    call.play(stream[..<60])
    func insertCopy(_ index: Int) -> InsertOutcome {
      let payload = FixedBuffer<UInt8>(bytes: stream[index].payload)
      return call.buffer.insertCopy(
        payload.view, sequenceNumber: SequenceNumber(stream[index].sequence),
        timestamp: RTPTimestamp(stream[index].timestamp),
        at: MediaInstant(milliseconds: Double(call.milliseconds)))
    }
    let needless = insertCopy(59)
    var lost = Array(stream[60..<75])
    lost[0].arrival = nil
    call.play(lost[...])
    let late = insertCopy(60)
    #expect(needless == .duplicate && late == .tooLate)
    let statistics = call.statistics
    #expect(statistics.fecPacketsReceived == 2 && statistics.fecPacketsDiscarded == 2)
    #expect(statistics.packetsDiscarded == 0, "a copy is no packet")
    #expect(abs(statistics.concealedSamples - 320) <= 160)
  }
}
