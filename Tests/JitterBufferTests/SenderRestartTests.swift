import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// Senders that begin anew, pause for something else, or come over mended paths.
@Suite struct SenderRestartTests {
  /// Numbers that jump while the timestamps go on, and the other way round, forwards and back.
  @Test(arguments: [(30_000, 0), (-20_000, 0), (0, 0x5000_0000), (0, -0x5000_0000), (12_345, 0x0123_4567)])
  func aJumpCostsOnePacket(numbers: Int, ticks: Int) throws {
    var stream = try packets(
      voice(seconds: 6, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000)
    for index in 150..<stream.count {
      stream[index].sequence &+= UInt16(truncatingIfNeeded: numbers)
      stream[index].timestamp &+= UInt32(truncatingIfNeeded: ticks)
    }
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.restarts == 1 && result.statistics.implausiblePackets == 1)
    #expect(result.statistics.packetsDiscarded == 1 && result.outcomes[151] == .restarted)
    #expect(result.outcomes[152...].allSatisfy { $0 == .inserted })
    #expect(result.statistics.jitterBufferEmittedCount > 295 * 320)
  }

  /// A flush tells packets sent before by their numbers; a sender that counts anew must not fall under it.
  @Test func aSenderThatCountsAnewIsHeardAfterAFlush() throws {
    let stream = try packets(
      voice(seconds: 4, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000,
      firstSequence: 40_000)
    let call = try Call()
    call.play(stream[..<100])
    _ = call.flush()
    var renumbered = Array(stream[100...])
    for index in renumbered.indices { renumbered[index].sequence = UInt16(index) }
    let before = call.statistics.jitterBufferEmittedCount
    call.play(renumbered[...])
    #expect(call.statistics.jitterBufferEmittedCount - before > 95 * 320)
  }

  /// One stray number is no restart.
  @Test func aStrayPacketIsDropped() throws {
    var stream = try packets(voice(seconds: 4, sampleRate: .hz16000), format: exactFormat, sampleRate: .hz16000)
    stream[50].sequence &+= 20_000
    stream[120].sequence &-= 5_000
    var buffer = try exactBuffer()
    let result = play(stream, through: &buffer, tail: 0)
    #expect(result.statistics.implausiblePackets == 2 && result.statistics.restarts == 0)
    #expect(result.statistics.missingPackets == 2)
  }

  /// Another SSRC is the caller's `reset`: what waited fades, and the new sender's first packet is played.
  @Test func anotherSourceBeginsAtOnceAfterReset() throws {
    let call = try Call()
    call.play(
      try packets(voice(seconds: 2, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000)[
        ...])
    call.buffer.reset()
    var other = try packets(
      voice(seconds: 2, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000,
      firstSequence: 9, firstTimestamp: 77)
    for index in other.indices { other[index].arrival! += Double(call.milliseconds) }
    let before = call.statistics
    call.play(other[...])
    #expect(call.statistics.packetsDiscarded == before.packetsDiscarded)
    #expect(call.statistics.concealedSamples == before.concealedSamples)
    #expect(call.statistics.jitterBufferEmittedCount - before.jitterBufferEmittedCount > 95 * 320)
    #expect(try #require(call.timestamp(of: call.samples.count - 1)).rawValue < 77 + 100 * 320)
  }

  /// While a key is pressed nothing is missing: the sound fades within 5 ms, and goes on behind the key.
  @Test func aTelephoneEventIsSilent() throws {
    var stream = try packets(
      voice(seconds: 4, sampleRate: .hz16000, pauses: false), format: exactFormat, sampleRate: .hz16000)
    for index in 100..<115 { stream[index].payloadType = 101 }
    let call = try Call()
    call.play(stream[...]) { buffer, packet in
      if packet.payloadType == 101 {
        buffer.noteForeignPacket(sequenceNumber: SequenceNumber(packet.sequence))
      } else {
        Call.insert(&buffer, packet)
      }
    }
    let statistics = call.statistics
    #expect(statistics.missingPackets == 0)
    #expect(statistics.concealedSamples <= 160)
    #expect(abs(statistics.comfortNoiseSamples - 15 * 320) <= 480, "\(statistics.comfortNoiseSamples)")
    // Sound ends at 2,000 ms of its own time, is up to 40 ms later in the output, and 5 ms fade.
    #expect(call.samples[16 * 2_065..<16 * 2_290].allSatisfy { $0 == 0 })
    #expect(powerDecibels(call.samples[16 * 2_360..<16 * 2_500]) > -30)
  }
}
