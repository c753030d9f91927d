extension CallReport {
  /// Where the delay of one direction comes from.
  public struct LatencyPath: Codable, Equatable, Sendable {
    /// Which direction: `Microphone to far ear`.
    public var name: String
    /// In the order in which sound passes them.
    public var stages: [LatencyStage]

    /// The delay of one direction.
    public init(_ name: String, stages: [LatencyStage]) {
      self.name = name
      self.stages = stages
    }
  }

  /// The delay that one stage adds.
  public struct LatencyStage: Codable, Equatable, Sendable {
    /// The stage: `Jitter buffer`.
    public let name: String
    /// What it adds; `nil` where it is not known.
    public let milliseconds: Double?
    /// Where the number comes from: `measured`, `RFC 6716 §2.1.4`.
    public let note: String?

    /// The delay that one stage adds. No finite number counts as not known.
    public init(_ name: String, milliseconds: Double?, note: String? = nil) {
      self.name = name
      self.milliseconds = milliseconds?.finite
      self.note = note
    }
  }

  /// What each stage costs the processor, against the time it has.
  public struct CostTable: Codable, Equatable, Sendable {
    /// The deadline: how long one frame lasts, in microseconds.
    public let frameMicroseconds: Double
    /// In the order in which they run.
    public var stages: [StageCost]

    /// Costs against a frame of `frameMicroseconds`, above 0.
    public init(frameMicroseconds: Double, stages: [StageCost]) {
      precondition(frameMicroseconds > 0 && frameMicroseconds.isFinite, "a frame of \(frameMicroseconds) µs")
      self.frameMicroseconds = frameMicroseconds
      self.stages = stages
    }
  }

  /// What one call of a stage costs, in microseconds, and all of them together.
  public struct StageCost: Codable, Equatable, Sendable {
    /// The stage: `Echo canceller`.
    public let name: String
    /// Half of the calls cost less.
    public let median: Double?
    /// One call in a hundred costs more.
    public let p99: Double?
    /// The dearest call.
    public let worst: Double?
    /// All calls together, in percent of real time: not every stage runs once a frame.
    public let sharePercent: Double?

    /// What one stage costs. No finite number counts as not known.
    public init(
      _ name: String, median: Double?, p99: Double? = nil, worst: Double? = nil, sharePercent: Double? = nil
    ) {
      self.name = name
      self.median = median?.finite
      self.p99 = p99?.finite
      self.worst = worst?.finite
      self.sharePercent = sharePercent?.finite
    }
  }

  /// Counters of one kind, by the names of W3C webrtc-stats.
  public struct StatisticsGroup: Codable, Equatable, Sendable {
    /// The dictionary's name: `inbound-rtp`.
    public var name: String
    /// Its members, in order.
    public var entries: [Statistic]

    /// A group of counters.
    public init(_ name: String, _ entries: [Statistic]) {
      self.name = name
      self.entries = entries
    }
  }

  /// One counter.
  public struct Statistic: Codable, Equatable, Sendable {
    /// Its W3C name: `concealedSamples`.
    public let name: String
    /// A number; `nil` when `text` says it, or nobody knows.
    public let value: Double?
    /// What is no number: a codec's name, a state.
    public let text: String?
    /// Its unit where the name does not tell: `s`.
    public let unit: String?

    /// A counter. No finite number counts as not known. Members of W3C webrtc-stats have their unit by their name.
    public init(_ name: String, _ value: Double?, unit: String? = nil) {
      self.name = name
      self.value = value?.finite
      self.unit = unit ?? Self.unit(of: name)
      text = nil
    }

    private static func unit(of name: String) -> String? {
      switch name {
      case "jitter", "jitterMean", "jitterMaximum", "roundTripTime", "totalRoundTripTime", "totalSamplesDuration",
        "jitterBufferDelay", "jitterBufferTargetDelay", "jitterBufferMinimumDelay":
        "s"
      case "echoReturnLoss", "echoReturnLossEnhancement": "dB"
      case "targetBitrate": "bit/s"
      case _ where name.lowercased().contains("bytes"): "bytes"
      case _ where name.lowercased().contains("samples") || name == "jitterBufferEmittedCount": "samples"
      case _ where name.hasPrefix("packets") || name.hasSuffix("Packets") || name.contains("PacketsLost"): "packets"
      default: nil
      }
    }

    /// What is no number.
    public init(_ name: String, text: String) {
      self.name = name
      self.text = text
      value = nil
      unit = nil
    }
  }
}
