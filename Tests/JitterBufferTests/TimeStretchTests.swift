import RealtimeCore
import TestSupport
import Testing

@testable import JitterBuffer

@Suite struct TimeStretchTests {
  private static let rate = SampleRate.hz16000

  /// A line whose history and future are one signal, with the time line of its samples.
  private func line(_ signal: [Float], played: Int) -> (SampleLine, PlayoutTimeline) {
    var line = SampleLine(historyCount: 800, capacity: 2_000)
    var timeline = PlayoutTimeline()
    let buffer = FixedBuffer<Float>(signal)
    var sink = [Float](repeating: 0, count: played)
    line.append(buffer, 0..<played)
    var span = sink.mutableSpan
    line.take(played, into: &span, at: 0)
    line.append(buffer, played..<signal.count)
    timeline.append(
      TimelineSegment(
        count: signal.count - played, timestamp: 0, span: Int64(signal.count - played), origin: .packet))
    return (line, timeline)
  }

  private func waiting(_ line: borrowing SampleLine) -> [Float] {
    (0..<line.count).map { line.samples[line.start + $0] }
  }

  @Test func shorteningAToneLeavesOutWholePeriodsWithoutAStep() {
    let tone = sine(200, sampleRate: Self.rate, count: 1_600)
    var (line, timeline) = line(tone, played: 800)
    let removed = TimeStretch(sampleRate: Self.rate).shorten(&line, &timeline, by: 300, isQuiet: false)
    #expect(removed > 0 && removed % 80 == 0)
    #expect(line.count == 800 - removed)
    // What is left is the same tone: it equals the original from the next period on.
    let left = waiting(line)
    #expect(signalToNoise(Array(tone[800..<800 + left.count]), left) > 30)
  }

  @Test func lengtheningAToneRepeatsAWholePeriodWithoutAStep() {
    let tone = sine(200, sampleRate: Self.rate, count: 1_600)
    var (line, timeline) = line(tone, played: 800)
    let inserted = TimeStretch(sampleRate: Self.rate).lengthen(&line, &timeline, by: 100, isQuiet: false)
    #expect(inserted > 0 && inserted % 80 == 0)
    #expect(line.count == 800 + inserted)
    #expect(signalToNoise(Array(tone[800..<1_600]), Array(waiting(line)[0..<800])) > 30)
  }

  @Test func unlikeSignalIsLeftAlone() {
    var random = SeededRandom(seed: 1)
    let noise = random.noise(count: 1_600, amplitude: 0.5)
    var (line, timeline) = line(noise, played: 800)
    let stretch = TimeStretch(sampleRate: Self.rate)
    #expect(stretch.shorten(&line, &timeline, by: 300, isQuiet: false) == 0)
    #expect(stretch.lengthen(&line, &timeline, by: 300, isQuiet: false) == 0)
    #expect(waiting(line) == Array(noise[800...]))
  }

  @Test func inAPauseTheWantedAmountIsCutAtOnce() {
    var random = SeededRandom(seed: 2)
    let noise = random.noise(count: 1_600, amplitude: 0.001)
    var (line, timeline) = line(noise, played: 800)
    let stretch = TimeStretch(sampleRate: Self.rate)
    #expect(stretch.shorten(&line, &timeline, by: 300, isQuiet: true) == 300)
    #expect(stretch.lengthen(&line, &timeline, by: 250, isQuiet: true) == 250)
  }
}
