internal import AudioCodecs
internal import CKernels
internal import RealtimeCore

// What the path adds in time and takes in processor time, stage by stage. Not for the audio thread.
extension MediaEngine {
  /// What one stage adds to the way from mouth to ear.
  public struct StageLatency: Sendable, Equatable {
    /// The stage, in words.
    public let name: String
    /// What it adds.
    public let milliseconds: Double
  }

  /// The microphone's way to the wire, in order.
  public var captureLatency: [StageLatency] {
    parts.value.capturePath.latency(packetMilliseconds: Double(settings.sendFormat.packetDuration) / 1_000)
  }

  /// The wire's way to the loudspeaker without the jitter buffer, whose delay changes (`playoutDelayMilliseconds`).
  public var renderLatency: [StageLatency] {
    [StageLatency(name: "render resampling", milliseconds: parts.value.renderPath.resamplingLatencyMilliseconds)]
  }

  /// What every stage that ran has cost, in the order of the path; empty unless `measuresStages`.
  public var stageCosts: [StageCost] {
    var costs: [StageCost] = []
    for stage in MediaStage.allCases {
      guard var cost = parts.value.times.cost(of: stage) else { continue }
      if stage == .echoCancellation, settings.noiseAttenuation ?? 0 > 0 { cost.name += " and noise suppression" }
      costs.append(cost)
    }
    return costs
  }

  /// Ticks in a second of the counter behind `stageCosts`. Takes 20 ms to find out on some processors: ask once.
  public static func measureTicksPerSecond() -> Double { antiphon_ticks_per_second() }
}

extension CapturePath {
  fileprivate func latency(packetMilliseconds: Double) -> [MediaEngine.StageLatency] {
    [
      .init(name: "capture resampling", milliseconds: captureResamplingMilliseconds),
      .init(name: "echo canceller and noise suppressor", milliseconds: processing.latencyMilliseconds),
      .init(name: "codec resampling", milliseconds: codecResamplingMilliseconds),
      .init(name: "packet", milliseconds: packetMilliseconds),
      .init(name: "encoder's lookahead", milliseconds: sender.lookaheadMilliseconds),
    ]
  }
}
