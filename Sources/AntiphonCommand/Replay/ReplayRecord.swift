import Antiphon
import Foundation

/// Writes what a replay plays, and keeps what a report shows of it, in bounded memory.
final class ReplayRecord: StreamReplayObserver {
  /// Seconds of sound that the report shows.
  static let shownSeconds = 120

  let path: String
  let sampleRate: SampleRate
  private(set) var samples: [Float] = []
  private(set) var playoutDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var targetDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var concealed = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var shortened = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var lengthened = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var pauses = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var transits = PointRecorder()
  private(set) var late = PointRecorder()
  private(set) var reordered = PointRecorder()
  private(set) var duplicates = PointRecorder()
  private(set) var frameCount = 0
  private var histogram = [Int](repeating: 0, count: 2_501)  // milliseconds; no playout delay is longer
  private var before = JitterBufferStatistics()
  private var writer: AudioFileWriter
  private let keepsSignal: Bool

  init(path: String, _ writer: consuming AudioFileWriter, sampleRate: SampleRate, keepsSignal: Bool) {
    self.path = path
    self.sampleRate = sampleRate
    self.keepsSignal = keepsSignal
    self.writer = writer
  }

  /// Of sound written so far.
  var seconds: Double { Double(writer.framesWritten) / Double(sampleRate.hertz) }
  var framesWritten: Int { writer.framesWritten }

  func received(_ packet: StreamReplay.Packet) {
    guard keepsSignal, let transit = packet.transitMilliseconds else { return }
    let seconds = Double(packet.arrival.nanoseconds) * 1e-9
    switch packet.outcome {
    case .tooLate: late.add(seconds, transit)
    case .duplicate: duplicates.add(seconds, transit)
    default:
      if packet.isReordered { reordered.add(seconds, transit) } else { transits.add(seconds, transit) }
    }
  }

  func played(_ frame: Span<Float>, _ point: StreamReplay.Point) throws {
    try writer.write(frame)
    guard !frame.isEmpty else { return }
    frameCount += 1
    let delay = Double(point.playoutDelay) * 1e-6
    if point.playoutDelay != 0 { histogram[max(0, min(histogram.count - 1, Int(delay.rounded())))] += 1 }
    guard keepsSignal else { return }
    if samples.count < Self.shownSeconds * sampleRate.hertz {
      for index in frame.indices { samples.append(frame[index]) }
    }
    let now = point.statistics
    // Nothing plays in a pause: a gap in the picture, not a delay of 0.
    playoutDelay.append(point.playoutDelay == 0 ? .nan : delay)
    targetDelay.append(Double(point.targetDelay) * 1e-6)
    concealed.append(now.concealedSamples > before.concealedSamples ? 1 : 0)
    shortened.append(now.removedSamplesForAcceleration > before.removedSamplesForAcceleration ? 1 : 0)
    lengthened.append(now.insertedSamplesForDeceleration > before.insertedSamplesForDeceleration ? 1 : 0)
    pauses.append(point.isPause || now.comfortNoiseSamples > before.comfortNoiseSamples ? 1 : 0)
    before = now
  }

  func finish() throws { try writer.finish() }

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

/// Points in the order of time in bounded memory: when there are too many, of each four neighbours the lowest and the
/// highest stay.
struct PointRecorder {
  private(set) var times: [Double] = []
  private(set) var values: [Float] = []
  private(set) var lowest = Double.infinity
  private static let capacity = 65_536

  mutating func add(_ time: Double, _ value: Double) {
    lowest = min(lowest, value)
    times.append(time)
    values.append(Float(value))
    guard times.count == Self.capacity else { return }
    var kept: [Int] = []
    for first in stride(from: 0, to: Self.capacity, by: 4) {
      let group = first..<first + 4
      let low = group.min { values[$0] < values[$1] }!
      let high = group.max { values[$0] < values[$1] }!
      kept += low == high ? [low] : [min(low, high), max(low, high)]
    }
    times = kept.map { times[$0] }
    values = kept.map { values[$0] }
  }
}
