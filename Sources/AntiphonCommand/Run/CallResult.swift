import Antiphon
import Foundation

/// What a call came to: the figures of result.json, and the few lines for people.
struct CallResult: Encodable {
  /// One direction, from a mouth to an ear.
  struct Direction: Encodable {
    /// Of all windows of active speech, by correlation of what went in with what came out.
    var mouthToEarMedianMilliseconds: Double?
    var mouthToEarP95Milliseconds: Double?
    /// Mean likeness of what came out to what went in, 0...1.
    var correlation: Double?
    var playoutDelayMeanMilliseconds: Double
    var playoutDelayP95Milliseconds: Double
    var networkLossPercent: Double
    var packetsReceived: Int
    var concealedPercent: Double
    var networkDelayMeanMilliseconds: Double?

    /// The network let nothing through.
    var heardNothing: Bool { packetsReceived == 0 }
  }

  struct Cost: Encodable {
    var stage: String
    var calls: Int
    var medianMicroseconds: Double
    var p99Microseconds: Double
    var worstMicroseconds: Double
    /// Of real time, by the sum of all calls.
    var sharePercent: Double
  }

  struct Latency: Encodable {
    var stage: String
    var milliseconds: Double
  }

  var version = AntiphonProgram.version
  var codec: String
  var network: String
  var engineRate: Int
  var durationSeconds: Double
  var timesRealTime: Double
  var agentToUser: Direction
  var userToAgent: Direction
  /// Median while only the agent spoke, in dB; `nil` when that never was.
  var echoReturnLossEnhancement: Double?
  var near: MediaStatistics
  var far: MediaStatistics
  var microphoneToFarEar: [Latency]
  var costs: [Cost]
  var warnings: [String]

  init(
    _ call: borrowing VirtualCall, _ recording: CallRecording, _ options: RunOptions, elapsedSeconds: Double,
    warnings: [String]
  ) throws {
    codec = CallResult.describe(options)
    network = options.network
    engineRate = options.rate.hertz
    durationSeconds = Double(recording.tickCount) / 100
    timesRealTime = durationSeconds / max(1e-9, elapsedSeconds)
    near = call.near.statistics
    far = call.far.statistics
    echoReturnLossEnhancement = recording.echoAlone.values.sorted().quantile(0.5).map(Double.init)
    agentToUser = try CallResult.direction(
      sent: recording.agent, heard: recording.played, rate: .hz48000, delays: recording.playoutDelay.values,
      statistics: near.inboundRTP, network: call.downlink)
    userToAgent = try CallResult.direction(
      sent: recording.user, heard: recording.heard, rate: .hz48000, delays: recording.farPlayoutDelay.values,
      statistics: far.inboundRTP, network: call.uplink)
    var way = call.near.captureLatency.map { Latency(stage: $0.name, milliseconds: $0.milliseconds) }
    way.append(Latency(stage: "network (mean)", milliseconds: userToAgent.networkDelayMeanMilliseconds ?? 0))
    way.append(Latency(stage: "jitter buffer (mean)", milliseconds: CallResult.bufferDelay(far.inboundRTP)))
    way += call.far.renderLatency.map { Latency(stage: $0.name, milliseconds: $0.milliseconds) }
    microphoneToFarEar = way
    let microseconds = 1e6 / MediaEngine.measureTicksPerSecond()
    let seconds = durationSeconds
    costs = call.near.stageCosts.map { cost in
      Cost(
        stage: cost.stage.name, calls: cost.callCount, medianMicroseconds: Double(cost.medianTicks) * microseconds,
        p99Microseconds: Double(cost.p99Ticks) * microseconds,
        worstMicroseconds: Double(cost.worstTicks) * microseconds,
        sharePercent: 100 * Double(cost.totalTicks) * microseconds * 1e-6 / seconds)
    }
    self.warnings = warnings
    for (name, direction) in [("agent to user", agentToUser), ("user to agent", userToAgent)]
    where direction.heardNothing {
      self.warnings.append("not one packet arrived from \(name): nothing was heard there, and its figures mean nothing")
    }
  }

  static func describe(_ options: RunOptions) -> String {
    switch options.codec {
    case .opus: "Opus, 20 ms, \(options.bitrate / 1_000) kbit/s, complexity \(options.complexity)"
    case .pcmu: "G.711 µ-law, 20 ms"
    case .pcma: "G.711 A-law, 20 ms"
    case .l16: "L16 at \(options.rate), 20 ms"
    case .l24: "L24 at \(options.rate), 20 ms"
    case .g722: "G.722, 20 ms"
    }
  }

  private static func bufferDelay(_ inbound: MediaStatistics.InboundRTP) -> Double {
    inbound.jitterBufferEmittedCount > 0
      ? 1_000 * inbound.jitterBufferDelay / Double(inbound.jitterBufferEmittedCount) : 0
  }

  private static func direction(
    sent: [Float], heard: [Float], rate: SampleRate, delays: [Float], statistics: MediaStatistics.InboundRTP,
    network: SimulatedNetwork
  ) throws -> Direction {
    var meter = try DelayMeter(sampleRate: 8_000)
    let readings = meter.measure(
      try sent.resampled(from: rate, to: .hz8000), try heard.resampled(from: rate, to: .hz8000))
    let milliseconds = readings.map(\.milliseconds).sorted()
    let playing = delays.filter { $0 > 0 }.sorted()
    return Direction(
      mouthToEarMedianMilliseconds: milliseconds.quantile(0.5), mouthToEarP95Milliseconds: milliseconds.quantile(0.95),
      correlation: readings.isEmpty ? nil : readings.map(\.correlation).reduce(0, +) / Double(readings.count),
      playoutDelayMeanMilliseconds: playing.isEmpty ? 0 : Double(playing.reduce(0, +)) / Double(playing.count),
      playoutDelayP95Milliseconds: Double(playing.quantile(0.95) ?? 0),
      networkLossPercent: network.counts.sent > 0 ? 100 * Double(network.counts.lost) / Double(network.counts.sent) : 0,
      packetsReceived: statistics.packetsReceived,
      concealedPercent: statistics.totalSamplesReceived > 0
        ? 100 * Double(statistics.concealedSamples) / Double(statistics.totalSamplesReceived) : 0,
      networkDelayMeanMilliseconds: network.counts.meanDelayMilliseconds)
  }

  /// What a person wants to know at once.
  func summary(directory: String) -> String {
    func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.0f ms", $0) } ?? "–" }
    func row(_ name: String, _ value: String) -> String {
      "  " + name.padding(toLength: 36, withPad: " ", startingAt: 0) + value
    }
    func both(_ name: String, _ value: (Direction) -> String) -> String {
      row(name, value(agentToUser).padding(toLength: 20, withPad: " ", startingAt: 0) + value(userToAgent))
    }
    let lines = [
      String(
        format: "A call of %.1f s over %@, %@: %.0f times faster than real time.", durationSeconds, network, codec,
        timesRealTime),
      "",
      row("", "agent to user       user to agent"),
      both("mouth to ear, median (p95)") {
        milliseconds($0.mouthToEarMedianMilliseconds) + " (" + milliseconds($0.mouthToEarP95Milliseconds) + ")"
      },
      both("of that in the jitter buffer, mean") { milliseconds($0.playoutDelayMeanMilliseconds) },
      both("lost on the network") { String(format: "%.1f %%", $0.networkLossPercent) },
      both("concealed") { $0.heardNothing ? "nothing arrived" : String(format: "%.1f %%", $0.concealedPercent) },
      "",
      row(
        "echo taken away",
        echoReturnLossEnhancement.map { String(format: "%.0f dB (ERLE while only the agent spoke)", $0) } ?? "–"),
      row("processor, the user's end", String(format: "%.1f %% of one core", costs.map(\.sharePercent).reduce(0, +))),
      "",
      "Listen to  \(directory)/played.wav (the user heard), heard.wav (the agent heard), microphone.wav",
      "Look at    \(directory)/report.html",
    ]
    return lines.joined(separator: "\n")
  }
}

extension Array where Element: BinaryFloatingPoint {
  /// The value that a share of the sorted elements stays within; `nil` when there are none.
  func quantile(_ share: Double) -> Element? {
    isEmpty ? nil : self[Swift.min(count - 1, Int(Double(count) * share))]
  }
}

extension [Float] {
  /// All of it at another rate, aligned in time.
  func resampled(from inputRate: SampleRate, to outputRate: SampleRate) throws -> [Float] {
    var resampler = try Resampler(from: inputRate, to: outputRate, quality: .medium, skipsLatency: true)
    var output = [Float](repeating: 0, count: resampler.maximumOutputSampleCount(forInput: count) + 1)
    var target = output.mutableSpan
    var made = resampler.process(span, into: &target).produced
    var rest = target.part(made..<target.count)
    made += resampler.drain(into: &rest)
    output.removeLast(output.count - made)
    return output
  }
}
