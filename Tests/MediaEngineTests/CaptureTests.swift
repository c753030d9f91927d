import AudioCodecs
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// What the microphone's path makes of what it is given.
@Suite struct CaptureTests {
  /// One second of speech in blocks whose sizes a seed chooses.
  private func packets(
    _ settings: MediaEngineSettings, _ samples: [Float], blockSizes: (inout SeededRandom) -> Int, seed: UInt64
  ) throws -> [[UInt8]] {
    var engine = try MediaEngine(settings)
    var random = SeededRandom(seed: seed)
    var packets: [[UInt8]] = []
    var start = 0
    while start < samples.count {
      let count = min(blockSizes(&random), samples.count - start)
      engine.capture(samples[start..<start + count].span, at: .zero)
      packets += engine.datagrams(at: .zero)
      start += count
    }
    return packets
  }

  @Test(arguments: allFormats)
  func blockSizesNeverShowInThePackets(_ format: CodecFormat) throws {
    let rate = SampleRate.hz44100
    var settings = MediaEngineSettings.voiceAgent
    settings.sendFormat = format
    settings.captureRate = rate
    let samples = Array(try speech("mic", at: rate)[..<(2 * rate.hertz)])
    let even = try packets(settings, samples, blockSizes: { _ in 441 }, seed: 0)
    #expect(even.count == 100)
    for seed in [1, 2, 3] as [UInt64] {
      let odd = try packets(settings, samples, blockSizes: { Int.random(in: 1...4_800, using: &$0) }, seed: seed)
      #expect(odd == even, "seed \(seed)")
    }
    let single = Array(samples[..<(rate.hertz / 4)])
    let singles = try packets(settings, single, blockSizes: { _ in 1 }, seed: 0)
    #expect(singles == Array(even[..<singles.count]))
    #expect(singles.count >= 11)
  }

  @Test(arguments: allFormats)
  func muteSendsSilenceAndKeepsPacketsFlowing(_ format: CodecFormat) throws {
    var settings = MediaEngineSettings.plain(format)
    settings.bandCount = 4
    var call = try TestCall(near: settings, far: settings)
    let user = try speech("mic", at: .hz16000)
    call.run(until: 300, user: user)
    let before = call.near.statistics
    call.near.isMuted = true
    call.run(until: 500, user: user)
    let after = call.near.statistics
    #expect(after.outboundRTP.packetsSent - before.outboundRTP.packetsSent == 100)
    #expect(after.mediaSource.totalAudioEnergy > before.mediaSource.totalAudioEnergy, "levels go on")
    // 200 ms after the mute it has reached the other end.
    let heard = powerDecibels(call.farHeard[(320 * 160)..<(500 * 160)])
    let spoken = powerDecibels(call.farHeard[(100 * 160)..<(300 * 160)])
    #expect(heard < -60, "\(heard) dB")
    #expect(spoken > -40, "\(spoken) dB")
    call.near.isMuted = false
    call.run(until: 700, user: user)
    #expect(powerDecibels(call.farHeard[(520 * 160)..<(700 * 160)]) > -40)
  }

  @Test func theDeafenedHearSilenceAndTimeGoesOn() throws {
    let settings = MediaEngineSettings.plain(.pcmu)
    var call = try TestCall(near: settings, far: settings)
    let user = try speech("mic", at: .hz16000)
    call.run(until: 300, user: user)
    call.far.isDeafened = true
    call.run(until: 500, user: user)
    // The fade takes 10 ms, and the resampler holds 2.5 ms back.
    #expect(call.farHeard[(302 * 160)..<(500 * 160)].allSatisfy { abs($0) < 1e-4 })
    #expect(call.far.statistics.inboundRTP.packetsReceived >= 245, "packets are taken and played")
    call.far.isDeafened = false
    call.run(until: 700, user: user)
    #expect(powerDecibels(call.farHeard[(302 * 160)..<(500 * 160)]) < -80)
    #expect(powerDecibels(call.farHeard[(510 * 160)..<(700 * 160)]) > -40)
  }

  @Test func samplesThatAreNoNumbersAreSilencedAndCounted() throws {
    let clean = try speech("mic", at: .hz48000)
    var dirty = Array(clean[..<96_000])
    var silenced = dirty
    var count = 0
    for index in stride(from: 1_000, to: 90_000, by: 997) {
      dirty[index] = [.nan, .infinity, -.infinity, .signalingNaN][count % 4]
      silenced[index] = 0
      count += 1
    }
    var settings = MediaEngineSettings.voiceAgent
    settings.stream = .init(ssrc: 1, firstSequenceNumber: 2, firstTimestamp: 3)  // the same of both
    var engine = try MediaEngine(settings)
    var twin = try MediaEngine(settings)
    for tick in 0..<200 {
      engine.capture(dirty.block(tick: tick, rate: .hz48000).span, at: .zero)
      twin.capture(silenced.block(tick: tick, rate: .hz48000).span, at: .zero)
      #expect(engine.datagrams(at: .zero) == twin.datagrams(at: .zero))
    }
    #expect(engine.statistics.faults.nonFiniteSamples == count)
    #expect(twin.statistics.faults.nonFiniteSamples == 0)
    #expect(engine.statistics.mediaSource.totalAudioEnergy.isFinite)
  }

  @Test func aBlockOfNothingChangesNothing() throws {
    let samples = try speech("mic", at: .hz48000)
    var settings = MediaEngineSettings.voiceAgent
    settings.stream = .init(ssrc: 1, firstSequenceNumber: 2, firstTimestamp: 3)  // the same of both
    var engine = try MediaEngine(settings)
    var twin = try MediaEngine(settings)
    let nothing: [Float] = []
    for tick in 0..<50 {
      let block = samples.block(tick: tick, rate: .hz48000)
      let now = MediaInstant(milliseconds: Double(10 * tick))
      engine.capture(nothing.span, at: now)
      #expect(engine.rendered(count: 0, at: now).isEmpty)
      #expect(engine.receive([UInt8]().span, at: now) == .malformed)
      engine.capture(block.span, at: now)
      twin.capture(block.span, at: now)
      #expect(engine.rendered(tick: tick) == twin.rendered(tick: tick))
      #expect(engine.datagrams(at: now) == twin.datagrams(at: now))
    }
  }

  /// Full-scale noise and levels far beyond full scale come out as finite sound.
  @Test func hugeSamplesStayFinite() throws {
    for format in allFormats {
      var settings = MediaEngineSettings.voiceAgent
      settings.sendFormat = format
      settings.receiveFormat = format
      var call = try TestCall(near: settings, far: settings)
      var random = SeededRandom(seed: 5)
      let loud = random.noise(count: 48_000, amplitude: 1).map { $0 * 3e38 }
      call.run(until: 120, user: loud, agent: loud)
      #expect(call.nearHeard.allSatisfy { $0.isFinite && abs($0) <= 4 }, "\(format.rtpmap)")
      #expect(call.near.statistics.faults.encoderFailures == 0)
    }
  }
}
