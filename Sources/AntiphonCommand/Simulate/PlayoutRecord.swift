import Antiphon

/// What is kept of a replay: delays as a histogram, series in bounded memory and, for a report, the first minutes.
struct PlayoutRecord {
  /// Seconds of sound that the report shows.
  static let shownSeconds = 120

  let sampleRate: SampleRate
  private let keepsSignal: Bool
  private(set) var samples: [Float] = []
  private(set) var playoutDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var targetDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var concealed = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var frameCount = 0
  private var histogram = [Int](repeating: 0, count: 2_501)  // milliseconds; no playout delay is longer
  private var concealedBefore = 0

  init(sampleRate: SampleRate, keepsSignal: Bool) {
    self.sampleRate = sampleRate
    self.keepsSignal = keepsSignal
  }

  var seconds: Double { Double(frameCount) / 100 }

  mutating func note(_ frame: [Float], _ point: TraceReplay.Point, _ statistics: JitterBufferStatistics) {
    frameCount += 1
    let delay = Double(point.playoutDelay) * 1e-6
    if point.timestamp != nil { histogram[max(0, min(histogram.count - 1, Int(delay.rounded())))] += 1 }
    guard keepsSignal else { return }
    if frameCount <= Self.shownSeconds * 100 { samples += frame }
    playoutDelay.append(delay)
    targetDelay.append(Double(point.targetDelay) * 1e-6)
    concealed.append(statistics.concealedSamples > concealedBefore ? 1 : 0)
    concealedBefore = statistics.concealedSamples
  }

  /// The playout delay that a share of the time stayed within, in ms; `nil` when nothing was played.
  func delay(within share: Double) -> Double? {
    let total = histogram.reduce(0, +)
    guard total > 0 else { return nil }
    var seen = 0
    for (milliseconds, count) in histogram.enumerated() {
      seen += count
      if Double(seen) >= share * Double(total) { return Double(milliseconds) }
    }
    return nil
  }
}
