extension CallReport {
  /// Stretches of time in which something was so: voice, concealment, loss.
  public struct EventStrip: Codable, Equatable, Sendable {
    /// What kind of thing; sets colour and height.
    public enum Kind: String, Codable, Sendable {
      /// Somebody spoke.
      case voice
      /// Both ends spoke.
      case doubleTalk
      /// A packet never came.
      case loss
      /// A packet came too late to be played.
      case late
      /// The jitter buffer made up sound.
      case concealment
      /// Play was stretched or shortened.
      case timeStretch
      /// The agent was cut off.
      case interruption
      /// Anything else.
      case other
    }

    /// A stretch of time; one without length is an instant.
    public struct Interval: Codable, Equatable, Sendable {
      /// Where it begins, in seconds.
      public let start: Double
      /// Where it ends, in seconds; not before `start`.
      public let end: Double

      /// A stretch of time.
      public init(start: Double, end: Double) {
        self.start = start.onTimeGrid
        self.end = max(start, end).onTimeGrid
      }
    }

    /// Its name: `Concealed`.
    public let name: String
    /// What kind of thing.
    public let kind: Kind
    /// The name of the ``Track`` whose waveform is marked too.
    public let track: String?
    /// How many there were before close ones were joined.
    public let eventCount: Int
    /// How long they lasted together, in seconds.
    public let totalSeconds: Double
    /// Ascending, at most ``CallReport/maximumPointCount``.
    public let intervals: [Interval]

    /// A strip of `intervals`. Intervals that are no numbers are dropped; where there are too many, those with the
    /// shortest pause between them are joined.
    /// - Parameters:
    ///   - eventCount: where it was counted more exactly than the intervals tell.
    ///   - totalSeconds: likewise.
    public init(
      _ name: String, kind: Kind, track: String? = nil, intervals: [Interval], eventCount: Int? = nil,
      totalSeconds: Double? = nil
    ) {
      let sorted = intervals.filter { $0.start.isFinite && $0.end.isFinite }.sorted { $0.start < $1.start }
      self.name = name
      self.kind = kind
      self.track = track
      self.eventCount = eventCount ?? sorted.count
      self.totalSeconds = totalSeconds?.finite ?? sorted.reduce(0) { $0 + $1.end - $1.start }.onTimeGrid
      self.intervals = Self.joined(sorted, limit: CallReport.maximumPointCount)
    }

    private static func joined(_ sorted: [Interval], limit: Int) -> [Interval] {
      guard sorted.count > limit else { return sorted }
      let pauses = zip(sorted, sorted.dropFirst()).map { $1.start - $0.end }
      let keptPauses = Set(pauses.indices.sorted { pauses[$0] > pauses[$1] }.prefix(limit - 1))
      var result: [Interval] = []
      var first = sorted[0]
      var end = first.end
      for (index, next) in sorted.dropFirst().enumerated() {
        if keptPauses.contains(index) {
          result.append(Interval(start: first.start, end: end))
          first = next
          end = next.end
        }
        end = max(end, next.end)
      }
      return result + [Interval(start: first.start, end: end)]
    }
  }
}
