import AudioCodecs
import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// The loudspeaker's side: interruption, block sizes, and that calls never meet.
@Suite struct RenderTests {
  /// What waits is faded out at once, without a click; what is sent later is heard. Wherever in a packet it comes.
  @Test(arguments: allFormats)
  func flushSilencesWithinTwentyMilliseconds(_ format: CodecFormat) throws {
    let tone = sine(500, sampleRate: .hz16000, count: 64_000)
    for tick in 100..<106 {
      var call = try TestCall(near: .plain(format, deviceRate: .hz48000), far: .plain(format))
      call.run(until: tick, agent: tone)
      #expect(powerDecibels(call.nearHeard.suffix(4_800)) > -15)
      let start = call.nearHeard.count
      call.near.flush()
      call.downlink = SimulatedNetwork(.trace([[]]), seed: 1)  // nothing more arrives, not even what was under way
      call.run(until: tick + 15)
      let after = call.nearHeard[(start - 1)...]
      let largestStep = zip(after, after.dropFirst()).map { abs($0 - $1) }.max()!
      #expect(largestStep < 0.15, "a fade, not a click: \(largestStep)")  // the tone's own steps are up to 0.03
      #expect(powerDecibels(call.nearHeard[(start + 960)...]) == -200, "silent after 20 ms")
      call.downlink = SimulatedNetwork(.profile(NetworkProfile()), seed: 1)
      call.run(until: tick + 60, agent: tone)
      #expect(powerDecibels(call.nearHeard.suffix(4_800)) > -15, "what came later is heard")
    }
  }

  @Test(arguments: allFormats)
  func blockSizesNeverShowInTheSound(_ format: CodecFormat) throws {
    let arrivals = try packets(format)
    func heard(deviceRate: SampleRate, _ blockSize: (Int) -> Int) throws -> [Float] {
      var engine = try MediaEngine(.plain(format, deviceRate: deviceRate))
      // All packets come at once in the beginning, so that when they are asked for does not matter.
      for packet in arrivals { engine.receive(packet.span, at: .zero) }
      var heard: [Float] = []
      var number = 0
      while heard.count < deviceRate.hertz / 2 {
        let now = MediaInstant(nanoseconds: deviceRate.nanoseconds(sampleCount: heard.count))
        heard += engine.rendered(count: min(blockSize(number), deviceRate.hertz / 2 - heard.count), at: now)
        number += 1
      }
      return heard
    }
    for rate in [SampleRate.hz44100, .hz48000] {
      let even = try heard(deviceRate: rate) { _ in rate.hertz / 100 }
      #expect(powerDecibels(even[(rate.hertz / 4)...]) > -15)
      for seed in [1, 2] as [UInt64] {
        var random = SeededRandom(seed: seed)
        let odd = try heard(deviceRate: rate) { _ in Int.random(in: 1...4_800, using: &random) }
        #expect(odd.count == even.count)
        let likeness = ToneMeasure(odd[(rate.hertz / 4)...], frequency: 500, sampleRate: rate)
        #expect(likeness.share > 0.98, "seed \(seed), \(rate): \(likeness.share)")
        #expect(abs(likeness.amplitude - 0.5) < 0.04)
      }
    }
  }

  /// Two calls, one after the other and interleaved step by step: every sample and byte the same.
  @Test func twoCallsNeverMeet() throws {
    let user = try speech("mic", at: .hz48000)
    let agent = try speech("agent", at: .hz48000)
    func make(_ format: CodecFormat, seed: UInt64) throws -> TestCall {
      var settings = MediaEngineSettings.voiceAgent
      settings.sendFormat = format
      settings.receiveFormat = format
      let (near, far) = try MediaEngineSettings.secured(settings, settings)
      return try TestCall(near: near, far: far, downlink: .profile(.wifi), uplink: .profile(.lossy), seed: seed)
    }
    var first = try make(.opus(), seed: 1)
    first.run(until: 200, user: user, agent: agent)
    var second = try make(.pcmu, seed: 2)
    second.run(until: 200, user: agent, agent: user)

    var firstAgain = try make(.opus(), seed: 1)
    var secondAgain = try make(.pcmu, seed: 2)
    for _ in 0..<200 {
      firstAgain.tick(user: user, agent: agent)
      secondAgain.tick(user: agent, agent: user)
    }
    #expect(first.nearHeard == firstAgain.nearHeard && first.farHeard == firstAgain.farHeard)
    #expect(second.nearHeard == secondAgain.nearHeard && second.farHeard == secondAgain.farHeard)
    #expect(first.nearSent == firstAgain.nearSent && second.nearSent == secondAgain.nearSent)
    #expect(first.near.statistics == firstAgain.near.statistics)
    #expect(powerDecibels(first.nearHeard) > -40)
  }

  /// Levels of both visualizers lie within 0...1 and follow the sound; a band that does not exist is silent.
  @Test func levelsFollowTheSound() throws {
    var settings = MediaEngineSettings.plain(.opus(), engineRate: .hz48000, deviceRate: .hz48000)
    settings.bandCount = 8
    var call = try TestCall(near: settings, far: settings)
    let tone = sine(400, sampleRate: .hz48000, count: 96_000)
    call.run(until: 100, user: tone, agent: tone)
    let capture = (0..<8).map { call.near.captureLevel($0) }
    let render = (0..<8).map { call.near.renderLevel($0) }
    #expect((capture + render).allSatisfy { (0...1).contains($0) })
    #expect(capture.max()! > 0.5 && render.max()! > 0.5)
    for index in [-1, 8, Int.max, Int.min] {
      #expect(call.near.captureLevel(index) == 0 && call.near.renderLevel(index) == 0)
    }
  }

  private func packets(_ format: CodecFormat) throws -> [[UInt8]] {
    var engine = try MediaEngine(.plain(format))
    engine.capture(sine(500, sampleRate: .hz16000, count: 16_000).span, at: .zero)
    return engine.datagrams(at: .zero)
  }
}
