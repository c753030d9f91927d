import AudioCodecs
import CallSimulation
import JitterBuffer
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// An agent that sends its answers over a socket: played, interrupted and located by the engine.
@Suite struct AgentAudioTests {
  static func settings(renderRate: SampleRate = .hz48000) -> MediaEngineSettings {
    var settings = MediaEngineSettings.unprocessed
    settings.agentStream = .pcm16(.hz24000)
    settings.renderRate = renderRate
    return settings
  }

  @Test(arguments: [SampleRate.hz24000, .hz48000, .hz44100])
  func anAnswerIsHeardLocatedAndFlushed(renderRate: SampleRate) throws {
    var engine = try MediaEngine(Self.settings(renderRate: renderRate))
    let tone = sine(500, sampleRate: .hz24000, count: 48_000)
    let taken = engine.append(tone, to: 1, at: .zero)
    #expect(taken == StreamAppendOutcome(.taken, 96_000))
    let isMarked = engine.addMark(9, at: MediaPosition(item: 1, nanoseconds: 300_000_000))
    #expect(isMarked)
    var heard: [Float] = []
    for tick in 0..<100 { heard += engine.rendered(tick: tick) }
    let share = ToneMeasure(
      heard[renderRate.hertz / 5..<renderRate.hertz * 4 / 5], frequency: 500, sampleRate: renderRate
    ).share
    #expect(share > 0.99)
    let events = engine.drained(at: .zero).events
    #expect(events == [.markReached(id: 9, wasHeard: true)])
    // Playout began within 50 ms of the append, and the resampler lags a little.
    let placeFound = engine.agentPosition()
    let place = try #require(placeFound)
    #expect(place.item == 1 && (940...1_000).contains(place.milliseconds), "\(place.milliseconds) ms")
    let behindFound = engine.agentPosition(latencyNanoseconds: 100_000_000)
    let behind = try #require(behindFound)
    #expect(abs(place.milliseconds - behind.milliseconds - 100) < 1)
    let flushedFound = engine.flushed()
    let flushed = try #require(flushedFound)
    #expect(abs(flushed.milliseconds - place.milliseconds) < 15)
    let after = engine.rendered(tick: 100) + engine.rendered(tick: 101) + engine.rendered(tick: 102)
    // Silent within 20 ms, the resampler's ringing included.
    #expect(powerDecibels(after[(renderRate.hertz / 50)...]) < -70)
    let late = engine.append(tone, to: 1, at: .zero)
    #expect(late.kind == .flushed)
  }

  @Test func aFalseAlarmIsHeldAndResumed() throws {
    var engine = try MediaEngine(Self.settings())
    _ = engine.append(sine(500, sampleRate: .hz24000, count: 72_000), to: 1, at: .zero)
    for tick in 0..<50 { _ = engine.rendered(tick: tick) }
    engine.duck()
    engine.hold()
    for tick in 50..<53 { _ = engine.rendered(tick: tick) }
    let heldFound = engine.agentPosition(latencyNanoseconds: 25_000_000)
    let held = try #require(heldFound)
    for tick in 53..<150 {
      let silence = engine.rendered(tick: tick)
      #expect(powerDecibels(silence) < -70)
    }
    engine.resume()
    var heard: [Float] = []
    for tick in 150..<200 { heard += engine.rendered(tick: tick) }
    let share = ToneMeasure(heard[4_800...], frequency: 500, sampleRate: .hz48000).share
    #expect(share > 0.99)
    let nowFound = engine.agentPosition()
    let now = try #require(nowFound)
    #expect(abs(now.milliseconds - held.milliseconds - 500) < 30)
  }

  @Test func packetsAreNotMediaInAStreamedCall() throws {
    var engine = try MediaEngine(Self.settings())
    let outcome = engine.receive([0x80, 111, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 9], at: .zero)
    #expect(outcome == .notMedia)
  }

  /// With two earlier payloads in each packet a network that loses one in ten is not heard.
  @Test(arguments: [CodecFormat.pcmu, .opus()])
  func redundancyOutlastsLoss(format: CodecFormat) throws {
    var plain = MediaEngineSettings.plain(format)
    let agent = try speech("agent", at: .hz16000)
    func concealedShare(_ settings: MediaEngineSettings) throws -> Double {
      var profile = NetworkProfile()
      profile.lossBurstProbability = 0.1
      var call = try TestCall(near: settings, far: settings, downlink: .profile(profile), seed: 3)
      call.run(until: 1_500, agent: agent)
      let inbound = call.near.statistics.inboundRTP
      #expect(inbound.packetsLost > 30)
      return Double(inbound.concealedSamples) / Double(inbound.totalSamplesReceived)
    }
    let without = try concealedShare(plain)
    plain.redundancy = .init(payloadType: 63, sendLevels: 2)
    let with = try concealedShare(plain)
    #expect(with < without / 5 && without > 0.05, "\(with) of \(without)")
  }

  /// A gateway's comfort noise (payload type 13) is heard at its level.
  @Test func comfortNoiseIsPlayed() throws {
    var engine = try MediaEngine(.plain(.pcmu))
    func packet(_ type: UInt8, _ number: UInt16, _ timestamp: UInt32, _ payload: [UInt8]) -> [UInt8] {
      [
        0x80, type, UInt8(number >> 8), UInt8(number & 255), UInt8(timestamp >> 24), UInt8(timestamp >> 16 & 255),
        UInt8(timestamp >> 8 & 255), UInt8(timestamp & 255), 0, 0, 0, 7,
      ] + payload
    }
    var heard: [Float] = []
    for tick in 0..<150 {
      let now = MediaInstant(milliseconds: Double(10 * tick))
      if tick % 2 == 0 && tick < 50 {
        engine.receive(packet(0, UInt16(tick / 2), UInt32(tick * 80), [UInt8](repeating: 0xFF, count: 160)), at: now)
      }
      if tick == 50 { engine.receive(packet(13, 25, 4_000, [45, 127, 127]), at: now) }
      heard += engine.rendered(tick: tick)
    }
    #expect(abs(powerDecibels(heard[12_800..<22_400]) + 45) < 1)
    let inbound = engine.statistics.inboundRTP
    #expect(inbound.concealedSamples == 0 && inbound.packetsLost == 0 && inbound.packetsReceived == 26)
  }

  @Test func aStreamedCallTouchesNoHeap() throws {
    var engine = try MediaEngine(Self.settings(renderRate: .hz44100))
    let chunk = ByteBuffer(repeating: 5, count: 4_800)
    var loudspeaker = SampleBuffer(repeating: 0, count: 441)
    var datagram = ByteBuffer(repeating: 0, count: 1_500)
    var operations = 0
    for tick in 0..<400 {
      let now = MediaInstant(milliseconds: Double(10 * tick))
      let counted = heapOperations {
        onRealtimePath {
          if tick % 12 == 0 { _ = engine.append(agentAudio: chunk.view, to: tick / 100, at: now) }
          if tick % 100 == 20 { _ = engine.addMark(tick, at: MediaPosition(item: tick / 100, nanoseconds: 0)) }
          if tick % 100 == 40 { engine.duck() }
          if tick % 100 == 45 { engine.hold() }
          if tick % 100 == 60 { engine.resume() }
          if tick % 100 == 80 { engine.flush(upToItem: tick / 100) }
          if tick % 100 == 90 { engine.flush() }
          if tick % 100 == 95 { engine.finish(item: tick / 100) }
          engine.render(into: &loudspeaker, at: now)
          _ = engine.agentPosition(latencyNanoseconds: 50_000_000)
          _ = engine.poll(into: &datagram, at: now)
          _ = engine.statistics.inboundRTP.concealedSamples
        }
      }
      if tick > 5 { operations += counted ?? 0 }
    }
    #expect(operations == 0)
  }
}

extension MediaEngine {
  /// As `append`, in 16-bit samples.
  mutating func append(_ samples: [Float], to item: Int, at now: MediaInstant) -> StreamAppendOutcome {
    let bytes = samples.flatMap { sample -> [UInt8] in
      let value = Int16(sample * 32_767)
      return [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
    return append(agentAudio: bytes.span, to: item, at: now)
  }

  /// As `flush`, which `#expect` cannot take apart.
  mutating func flushed() -> MediaPosition? { flush() }
}
