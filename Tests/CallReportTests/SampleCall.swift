import CallReport
import Foundation
import RealtimeCore
import TestSupport

/// An invented call, plausible in every part: what the tests fill pages with.
enum SampleCall {
  static let rate = SampleRate.hz16000
  static let seconds = 30.0

  static let near: [Float] = voice(pitch: 118, phrases: [0.8...4.2, 11.4...15.1, 22.6...26.0], seed: 1)
  static let far: [Float] = voice(pitch: 205, phrases: [5.0...10.6, 14.4...15.6, 16.2...22.1, 26.7...29.6], seed: 2)

  /// Everything that a call can give, made once.
  static let report = makeReport()

  private static func makeReport() -> CallReport {
    var random = SeededRandom(seed: 3)
    let noise = random.noise(count: near.count, amplitude: 0.004)
    let echo = [Float](repeating: 0, count: 800) + far.dropLast(800).map { $0 * 0.32 }
    let microphone = zip(zip(near, echo), noise).map { $0.0 + $0.1 + $1 }
    let residual = echo.enumerated().map { $1 * Float(exp(-Double($0) / 16_000 - 2.2)) }
    let sent = zip(near, residual).map { $0 + $1 * 0.2 }
    let losses: [ClosedRange<Double>] = [
      7.2...7.28, 9.11...9.13, 17.5...17.62, 17.7...17.72, 20.4...20.42, 27.9...27.98,
    ]
    var played = [Float](repeating: 0, count: 1_280) + far.dropLast(1_280)
    for loss in losses {
      for index in Int(loss.lowerBound * 16_000)..<Int(loss.upperBound * 16_000) { played[index] *= 0.25 }
    }

    var report = CallReport(title: "A voice agent over a busy mobile network", durationSeconds: seconds)
    report.run = .init(
      command: "antiphon run --mic talk.wav --agent answer.wav --network lte-drive.csv --codec opus --report call.html",
      date: Date(timeIntervalSince1970: 1_780_000_000), codec: "Opus 48 kHz, 20 ms, 32 kbit/s, in-band FEC",
      network: "lte-drive, 1.6 % loss in bursts",
      settings: [.init("Echo tail", "200 ms"), .init("Noise suppression", "−18 dB"), .init("Engine rate", "16 kHz")])
    report.verdict = .init(
      .good, "98.6 % of the agent's audio was played as sent. Echo is inaudible from the second sentence on.")
    report.figures = [
      .init("Playout delay", 74.2, unit: "ms", note: "p95 118 ms", grade: .good),
      .init("Packet loss", 1.61, unit: "%", decimals: 1, note: "24 of 1,500 packets", grade: .fair),
      .init("Concealed", 1.38, unit: "%", decimals: 1, note: "longest 120 ms", grade: .good),
      .init("Echo removed", 41.6, unit: "dB", decimals: 1, note: "ERLE, after 2 s", grade: .good),
      .init("Mouth to ear", 162, unit: "ms", note: "microphone to far ear", grade: .good),
      .init("Speed", 412, unit: "× real time", note: "one core, both ways"),
    ]
    report.warnings = ["The echo path changed at 14.4 s while both ends spoke; ERLE recovered within 0.7 s."]
    report.tracks = [
      track("Microphone", "16 kHz, with echo and noise", .nearEnd, microphone),
      track("Sent", "after echo and noise control", .nearEnd, sent),
      track("Agent sent", "Opus, before the network", .farEnd, far),
      track("Played", "after the jitter buffer", .farEnd, played),
    ]
    report.tracks[3].bands = bands(of: played)
    report.strips = strips(losses: losses)
    report.plots = plots(random: &random)
    fillTables(&report)
    return report
  }

  private static func track(_ name: String, _ detail: String, _ side: CallReport.Side, _ samples: [Float])
    -> CallReport.Track
  {
    var track = CallReport.Track(name, detail: detail, side: side)
    track.audio = .wav(samples, sampleRate: rate)
    track.waveform = .init(samples, sampleRate: rate)
    track.spectrogram = .init(of: samples, sampleRate: rate, powerSpectrum: powerSpectrum)
    return track
  }

  private static func bands(of samples: [Float]) -> CallReport.BandHistory {
    let hop = 480
    let frames = stride(from: 0, to: samples.count - 1_024, by: hop).map { Array(samples[$0..<$0 + 1_024]) }
    let levels = frames.flatMap { frame -> [Float] in
      let power = powerSpectrum(frame)
      return (0..<7).map { band in
        let lines = 8 << band / 2..<min(512, (16 << band / 2) + 8 * band)
        let energy = power[lines].reduce(0, +) / Float(lines.count)
        return max(0, min(1, (10 * log10(energy + 1e-9) + 20) / 60))
      }
    }
    return .init(levels: levels, bandCount: 7, durationSeconds: seconds)
  }

  private static func strips(losses: [ClosedRange<Double>]) -> [CallReport.EventStrip] {
    func intervals(_ ranges: [ClosedRange<Double>]) -> [CallReport.EventStrip.Interval] {
      ranges.map { .init(start: $0.lowerBound, end: $0.upperBound) }
    }
    return [
      .init("Near-end voice", kind: .voice, intervals: intervals([0.8...4.3, 11.4...15.2, 22.6...26.1])),
      .init("Double-talk", kind: .doubleTalk, intervals: intervals([14.4...15.1])),
      .init("Lost packets", kind: .loss, intervals: intervals(losses.map { $0.lowerBound...$0.lowerBound })),
      .init("Late packets", kind: .late, intervals: intervals([6.1...6.1, 12.02...12.02, 12.04...12.04, 24.4...24.4])),
      .init("Concealed", kind: .concealment, track: "Played", intervals: intervals(losses)),
      .init("Interruption", kind: .interruption, track: "Agent sent", intervals: intervals([15.6...15.6])),
    ]
  }

  private static func plots(random: inout SeededRandom) -> [CallReport.TimePlot] {
    var target: Float = 60
    var actual: Float = 60
    var delays: [Float] = []
    var targets: [Float] = []
    var jitters: [Float] = []
    for step in 0..<1_500 {
      let t = Double(step) / 50
      let jitter = 9 + 5 * Float(sin(t / 3)) + (17...18.5 ~= t ? 22 : 0) + Float.random(in: -2.5...2.5, using: &random)
      let wanted: Float = ((40 + 2.2 * jitter) / 20).rounded() * 20
      target = wanted > target ? wanted : step % 100 == 0 ? max(wanted, target - 20) : target
      actual += (target - actual) * 0.06 + Float.random(in: -3...3, using: &random)
      delays.append(actual)
      targets.append(target)
      jitters.append(jitter)
    }
    let echoReduction = (0..<600).map { step -> Float in
      let t = Double(step) / 20
      guard [5.0...10.6, 14.4...15.6, 16.2...22.1, 26.7...29.6].contains(where: { $0.contains(t) }) else { return .nan }
      let dip = t > 14.4 && t < 17 ? 18 * exp(-(t - 14.4)) : 0
      return Float(42 * (1 - exp(-(t - 4.7) / 0.9)) - dip) + Float.random(in: -1.5...1.5, using: &random)
    }
    let echoLoss = echoReduction.map { $0.isNaN ? .nan : 9.9 + Float.random(in: -0.6...0.6, using: &random) }
    return [
      .init(
        "Playout delay", unit: "ms", minimum: 0,
        series: [
          .init("Delay", style: .area, intervalSeconds: 0.02, values: delays),
          .init("Target", style: .step, intervalSeconds: 0.02, values: targets),
          .init("Jitter", intervalSeconds: 0.02, values: jitters),
        ]),
      .init(
        "Echo", unit: "dB", minimum: 0,
        series: [
          .init("ERLE", style: .area, intervalSeconds: 0.05, values: echoReduction),
          .init("ERL", intervalSeconds: 0.05, values: echoLoss),
        ]),
    ]
  }

  private static func fillTables(_ report: inout CallReport) {
    report.latency = [
      .init(
        "Microphone to far ear",
        stages: [
          .init("Device buffer", milliseconds: 10, note: "one callback"),
          .init("Resampler", milliseconds: 1.9, note: "half filter length"),
          .init("Echo and noise control", milliseconds: 8, note: "block overlap"),
          .init("Opus", milliseconds: 26.5, note: "frame and look-ahead, RFC 6716 §2.1.4"),
          .init("Network", milliseconds: 41, note: "mean of the trace"),
          .init("Jitter buffer", milliseconds: 74.2, note: "measured"),
          .init("Far device", milliseconds: nil, note: "not known"),
        ]),
      .init(
        "Agent to near ear",
        stages: [
          .init("Opus", milliseconds: 26.5), .init("Network", milliseconds: 41),
          .init("Jitter buffer", milliseconds: 61),
          .init("Device buffer", milliseconds: 10),
        ]),
    ]
    report.cost = .init(
      frameMicroseconds: 10_000,
      stages: [
        .init("Resampler", median: 3.1, p99: 4.2, worst: 19), .init("Echo canceller", median: 14.8, p99: 21, worst: 88),
        .init("Noise suppressor", median: 9.7, p99: 12.4, worst: 61),
        .init("Opus encoder", median: 96, p99: 140, worst: 402),
        .init("SRTP", median: 0.9, p99: 1.4, worst: 12), .init("Jitter buffer", median: 22, p99: 71, worst: 210),
      ])
    report.statistics = [
      .init(
        "inbound-rtp",
        [
          .init("packetsReceived", 1_476), .init("packetsLost", 24), .init("jitter", 0.0113, unit: "s"),
          .init("jitterBufferDelay", 106_848, unit: "s"), .init("jitterBufferEmittedCount", 1_440_000),
          .init("concealedSamples", 19_872), .init("silentConcealedSamples", 1_920), .init("concealmentEvents", 6),
          .init("insertedSamplesForDeceleration", 2_880), .init("removedSamplesForAcceleration", 2_400),
        ]),
      .init(
        "outbound-rtp",
        [.init("packetsSent", 1_500), .init("bytesSent", 118_204), .init("headerBytesSent", 18_000)]),
      .init("remote-inbound-rtp", [.init("roundTripTime", 0.082, unit: "s"), .init("fractionLost", 0.016)]),
      .init("codec", [.init("mimeType", text: "audio/opus"), .init("clockRate", 48_000), .init("channels", 2)]),
    ]
  }
}
