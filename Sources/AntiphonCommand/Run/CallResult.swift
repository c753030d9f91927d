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
    /// What a played sample waited between its packet's arrival and its playout.
    var jitterBufferDelayMeanMilliseconds: Double
    /// Over the fastest packets, by time: the network's own jitter is part of it.
    var playoutDelayMeanMilliseconds: Double
    var playoutDelayP95Milliseconds: Double
    var networkLossPercent: Double
    var packetsReceived: Int
    var concealedPercent: Double
    var networkDelayMeanMilliseconds: Double?

    /// What the stages on the way and the network take together, for when the sound itself does not tell.
    var stagesMilliseconds: Double
    /// Packets that could not be used.
    var packetsRefused: Int
    /// Seconds that were played of what came.
    var secondsPlayed: Double

    /// No packet came, or none could be played.
    var heardNothing: Bool { secondsPlayed == 0 }
    /// The delay that a listener meets; measured on the sound where that can be.
    var delayMilliseconds: Double { mouthToEarMedianMilliseconds ?? stagesMilliseconds }
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
  /// Likewise: by how much the echo is quieter than the loudspeaker before anything is taken away.
  var echoReturnLoss: Double?
  var near: MediaStatistics
  var far: MediaStatistics
  var microphoneToFarEar: [Latency]
  var farMouthToUser: [Latency]
  var costs: [Cost]
  /// Of those that the agent sent.
  var packetsLostToUser: Int
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
    if options.roomPath != nil {
      echoReturnLossEnhancement = recording.echoAlone.values.sorted().quantile(0.5).map(Double.init)
      echoReturnLoss = recording.echoLossAlone.values.sorted().quantile(0.5).map(Double.init)
    }
    farMouthToUser = CallResult.way(call.far.captureLatency, call.downlink, near, call.near.renderLatency)
    microphoneToFarEar = CallResult.way(call.near.captureLatency, call.uplink, far, call.far.renderLatency)
    agentToUser = try CallResult.direction(
      sent: recording.agent, heard: recording.played, rate: .hz48000, delays: recording.playoutDelay.values,
      statistics: near, network: call.downlink, way: farMouthToUser)
    userToAgent = try CallResult.direction(
      sent: recording.user, heard: recording.heard, rate: .hz48000, delays: recording.farPlayoutDelay.values,
      statistics: far, network: call.uplink, way: microphoneToFarEar)
    let microseconds = 1e6 / MediaEngine.measureTicksPerSecond()
    let seconds = durationSeconds
    costs = call.near.stageCosts.map { cost in
      Cost(
        stage: cost.name, calls: cost.callCount, medianMicroseconds: Double(cost.medianTicks) * microseconds,
        p99Microseconds: Double(cost.p99Ticks) * microseconds,
        worstMicroseconds: Double(cost.worstTicks) * microseconds,
        sharePercent: 100 * Double(cost.totalTicks) * microseconds * 1e-6 / seconds)
    }
    packetsLostToUser = call.downlink.counts.lost
    self.warnings = warnings
    for (name, direction) in [("agent to user", agentToUser), ("user to agent", userToAgent)]
    where direction.heardNothing {
      let cause =
        direction.packetsReceived == 0
        ? "not one packet arrived from \(name)"
        : "none of \(counted(direction.packetsReceived, "packet")) from \(name) could be played"
      self.warnings.append("\(cause): nothing was heard there, and its figures mean nothing")
    }
    for (name, direction) in [("agent to user", agentToUser), ("user to agent", userToAgent)]
    where direction.packetsRefused > 0 {
      self.warnings.append("\(counted(direction.packetsRefused, "packet")) from \(name) could not be used; see faults")
    }
  }

  /// The stages from a mouth to the other end's ear.
  private static func way(
    _ capture: [MediaEngine.StageLatency], _ network: SimulatedNetwork, _ statistics: MediaStatistics,
    _ render: [MediaEngine.StageLatency]
  ) -> [Latency] {
    capture.map { Latency(stage: $0.name, milliseconds: $0.milliseconds) } + [
      Latency(stage: "network (mean)", milliseconds: network.counts.meanDelayMilliseconds ?? 0),
      Latency(stage: "jitter buffer (mean)", milliseconds: CallResult.bufferDelay(statistics.inboundRTP)),
    ] + render.map { Latency(stage: $0.name, milliseconds: $0.milliseconds) }
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
    sent: [Float], heard: [Float], rate: SampleRate, delays: [Float], statistics all: MediaStatistics,
    network: SimulatedNetwork, way: [Latency]
  ) throws -> Direction {
    let statistics = all.inboundRTP
    var meter = try DelayMeter(sampleRate: 8_000)
    let readings = meter.measure(
      try sent.resampled(from: rate, to: .hz8000), try heard.resampled(from: rate, to: .hz8000))
    let milliseconds = readings.map(\.milliseconds).sorted()
    let playing = delays.filter { $0 > 0 }.sorted()
    return Direction(
      mouthToEarMedianMilliseconds: milliseconds.quantile(0.5), mouthToEarP95Milliseconds: milliseconds.quantile(0.95),
      correlation: readings.isEmpty ? nil : readings.map(\.correlation).reduce(0, +) / Double(readings.count),
      jitterBufferDelayMeanMilliseconds: bufferDelay(statistics),
      playoutDelayMeanMilliseconds: playing.isEmpty ? 0 : Double(playing.reduce(0, +)) / Double(playing.count),
      playoutDelayP95Milliseconds: Double(playing.quantile(0.95) ?? 0),
      networkLossPercent: network.counts.sent > 0 ? 100 * Double(network.counts.lost) / Double(network.counts.sent) : 0,
      packetsReceived: statistics.packetsReceived,
      concealedPercent: statistics.totalSamplesReceived > 0
        ? 100 * Double(statistics.concealedSamples) / Double(statistics.totalSamplesReceived) : 0,
      networkDelayMeanMilliseconds: network.counts.meanDelayMilliseconds,
      stagesMilliseconds: way.map(\.milliseconds).reduce(0, +),
      packetsRefused: all.faults.malformedPackets + all.faults.unauthenticPackets + all.faults.unknownPayloadTypes,
      secondsPlayed: statistics.totalSamplesDuration)
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
      both("of that in the jitter buffer, mean") { milliseconds($0.jitterBufferDelayMeanMilliseconds) },
      both("lost on the network") { String(format: "%.1f %%", $0.networkLossPercent) },
      both("concealed") {
        $0.packetsReceived == 0
          ? "nothing arrived" : $0.heardNothing ? "nothing was played" : String(format: "%.1f %%", $0.concealedPercent)
      },
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
