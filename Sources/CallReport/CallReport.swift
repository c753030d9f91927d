/// What a voice call through a media engine sounded and looked like: plain data that becomes one HTML page.
///
/// Every part may stay empty; the page leaves out what it was not given, so that one model serves a resampler run,
/// an echo cancellation and a whole call. Times are seconds from the start of the call. Long inputs are reduced when
/// a part is made (``Waveform``, ``TimeSeries``, ``SpectrogramGrid``, ``BandHistory``, ``EventStrip``), so an hour
/// makes a page of the same size as a minute; only the audio itself grows.
/// - Threads: any; off the audio path.
public struct CallReport: Codable, Equatable, Sendable {
  /// The page's heading.
  public var title: String
  /// What was run, and how.
  public var run: Run
  /// The length of the common time axis, in seconds. 0 lets the page take the end of the last thing it shows.
  public var durationSeconds: Double
  /// One plain sentence with a grade.
  public var verdict: Verdict?
  /// The headline row.
  public var figures: [Figure]
  /// What the reader should know before trusting the rest, one sentence each.
  public var warnings: [String]
  /// Signals in the order in which sound passes them.
  public var tracks: [Track]
  /// Things with a beginning and an end: concealment, loss, voice activity.
  public var strips: [EventStrip]
  /// Quantities over time: playout delay, echo return loss.
  public var plots: [TimePlot]
  /// Where the delay from mouth to ear comes from, one entry for each direction.
  public var latency: [LatencyPath]
  /// What each stage costs the processor.
  public var cost: CostTable?
  /// Counters by their W3C names.
  public var statistics: [StatisticsGroup]

  /// An empty report.
  public init(title: String, run: Run = Run(), durationSeconds: Double = 0) {
    self.title = title
    self.run = run
    self.durationSeconds = durationSeconds.isFinite ? max(0, durationSeconds) : 0
    figures = []
    warnings = []
    tracks = []
    strips = []
    plots = []
    latency = []
    statistics = []
  }
}

extension CallReport {
  /// Upper bound of columns or points that one plot keeps: about one for each device pixel of a wide screen.
  public static let maximumPointCount = 2_000
}

extension Double {
  /// The value where it is a number that JSON can carry.
  var finite: Double? { isFinite ? self : nil }

  /// Rounded to 0.1 ms, which keeps the page's numbers short.
  var onTimeGrid: Double { (self * 10_000).rounded() / 10_000 }
}
