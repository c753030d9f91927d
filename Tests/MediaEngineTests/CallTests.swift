import AudioCodecs
import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

extension CodecFormat: CustomTestStringConvertible {
  /// The stream as SDP names it.
  public var testDescription: String { rtpmap }
}

extension SampleRate: CustomTestStringConvertible {
  /// The rate in hertz.
  public var testDescription: String { description }
}

/// Sound goes in at one end and comes out at the other.
@Suite struct CallTests {
  static let deviceRates: [SampleRate] = [
    .hz8000, .hz11025, .hz16000, .hz22050, .hz24000, .hz32000, .hz44100, .hz48000, .hz96000,
  ]

  /// A tone keeps its frequency and level: of the power that arrives, all but 1 % lies at that frequency, all but 3 %
  /// with Opus at 32 kbit/s, whose coding noise lies 16 to 20 dB below a tone; the level is right to 0.5 dB.
  @Test(arguments: allFormats, [SampleRate.hz16000, .hz24000, .hz48000])
  func aToneArrivesAtEveryDeviceRate(_ format: CodecFormat, engineRate: SampleRate) throws {
    // Each rate captures once and renders once; the rates of a pair differ.
    for (index, captureRate) in Self.deviceRates.enumerated() {
      let renderRate = Self.deviceRates[(index + 4) % Self.deviceRates.count]
      var settings = MediaEngineSettings.plain(format, engineRate: engineRate)
      settings.captureRate = captureRate
      settings.renderRate = renderRate
      var call = try TestCall(near: settings, far: settings)
      let tone = sine(1_000, sampleRate: captureRate, count: captureRate.hertz)
      call.run(until: 60, agent: tone)
      let heard = call.nearHeard[(renderRate.hertz / 4)...]
      let measured = ToneMeasure(heard, frequency: 1_000, sampleRate: renderRate)
      let way = "\(captureRate) to \(renderRate) by \(format.rtpmap) in \(engineRate)"
      #expect(abs(measured.amplitude - 0.5) < 0.03, "\(way): amplitude \(measured.amplitude)")
      #expect(measured.share > (format.codec == .opus ? 0.97 : 0.99), "\(way): share \(measured.share)")
      #expect(call.near.statistics.inboundRTP.concealedSamples == 0, "\(way)")
    }
  }

  /// Speech arrives as itself, after the time that stages, network and jitter buffer say they take.
  @Test(arguments: allFormats, [SampleRate.hz16000, .hz44100])
  func speechArrivesAfterTheReportedDelay(_ format: CodecFormat, deviceRate: SampleRate) throws {
    let settings = MediaEngineSettings.plain(format, engineRate: .hz48000, deviceRate: deviceRate)
    var call = try TestCall(near: settings, far: settings)
    let spoken = try speech("agent", at: deviceRate)
    var waits: [Double] = []
    while call.tickCount < 700 {
      call.tick(user: [], agent: spoken)
      waits.append(call.near.playoutDelayMilliseconds)
    }
    var meter = try DelayMeter(sampleRate: deviceRate.hertz, longestMilliseconds: 200)
    let readings = meter.measure(spoken, call.nearHeard)
    let delays = readings.map(\.milliseconds).sorted()
    #expect(readings.count > 12)
    let median = delays[delays.count / 2]
    let likeness = readings.map(\.correlation).reduce(0, +) / Double(readings.count)
    #expect(likeness > 0.93, "\(likeness)")

    let stages = (call.far.captureLatency + call.near.renderLatency).map(\.milliseconds).reduce(0, +)
    let network = 20.0  // what NetworkProfile() delays
    let wait = waits.sorted()[waits.count / 2]
    // The render resampler reports the most that it holds, 2.5 ms; a block that it divides evenly leaves nothing.
    let reported = stages + network + wait
    #expect(
      median <= reported + 0.1 && median >= reported - 2.6, "\(median) ms, reported \(stages) + \(network) + \(wait)")
  }

  /// Pauses in which Opus sends nothing are neither losses nor concealment.
  @Test func pausesOfTheSenderAreNoLosses() throws {
    var settings = MediaEngineSettings.plain(.opus())
    settings.opus.discontinuousTransmission = true
    var call = try TestCall(near: settings, far: settings)
    let spoken = try speech("agent", at: .hz16000)
    call.run(until: 800, agent: Array(spoken[..<32_000]))
    let sent = call.far.statistics.outboundRTP.packetsSent
    #expect(sent < 300, "\(sent) packets; without pauses 400")
    let inbound = call.near.statistics.inboundRTP
    #expect(inbound.packetsLost == 0)
    #expect(powerDecibels(call.nearHeard[16_000..<32_000]) > -40)
    #expect(powerDecibels(call.nearHeard[64_000...]) < -60)
  }

  /// Both directions at once, with keys, over a bad network: what is heard is speech still.
  @Test(arguments: allFormats)
  func bothEndsHearEachOtherOverABadNetwork(_ format: CodecFormat) throws {
    let plain = MediaEngineSettings.plain(format)
    let (near, far) = try MediaEngineSettings.secured(plain, plain)
    var call = try TestCall(
      near: near, far: far, downlink: .profile(.lossy), uplink: .profile(.lossy), seed: 7)
    let user = try speech("mic", at: .hz16000)
    let agent = try speech("agent", at: .hz16000)
    call.run(until: 1_000, user: user, agent: agent)
    var meter = try DelayMeter(sampleRate: 16_000)
    for (spoken, heard) in [(user, call.farHeard), (agent, call.nearHeard)] {
      let readings = meter.measure(spoken, heard)
      let likeness = readings.map(\.correlation).reduce(0, +) / Double(max(1, readings.count))
      #expect(readings.count > 15)
      #expect(likeness > 0.8, "\(likeness)")
    }
    // Nothing of one call is in the other direction.
    #expect(meter.measure(user, call.nearHeard, threshold: 0.8).isEmpty)
  }
}

/// What part of a signal is a tone of one frequency, by projection on its sine and cosine.
struct ToneMeasure {
  let amplitude: Double
  /// The tone's share of all power, 0...1.
  let share: Double

  init(_ samples: ArraySlice<Float>, frequency: Double, sampleRate: SampleRate) {
    // Whole periods, so that sine and cosine are orthogonal.
    let period = Double(sampleRate.hertz) / frequency
    let count = Int((Double(samples.count) / (period * 10)).rounded(.down) * period * 10)
    var (sines, cosines, power) = (0.0, 0.0, 0.0)
    for (index, sample) in samples.prefix(count).enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / Double(sampleRate.hertz)
      sines += Double(sample) * sin(angle)
      cosines += Double(sample) * cos(angle)
      power += Double(sample) * Double(sample)
    }
    let scale = 2 / Double(count)
    amplitude = (sines * sines + cosines * cosines).squareRoot() * scale
    share = power > 0 ? amplitude * amplitude / 2 * Double(count) / power : 0
  }
}
