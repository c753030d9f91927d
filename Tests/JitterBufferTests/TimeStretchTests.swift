import RealtimeCore
import TestSupport
import Testing

@testable import JitterBuffer

/// A line whose history and future are one signal, with the time line of its samples.
private struct LineUnderTest: ~Copyable {
  var line = SampleLine(historyCount: 800, capacity: 2_000)
  var timeline = PlayoutTimeline()

  init(_ signal: [Float], played: Int) {
    let buffer = FixedBuffer<Float>(signal)
    var sink = [Float](repeating: 0, count: played)
    line.append(buffer, 0..<played)
    var span = sink.mutableSpan
    line.take(played, into: &span, at: 0)
    let rest = signal.count - played
    line.append(buffer, played..<signal.count)
    timeline.append(TimelineSegment(count: rest, timestamp: 0, span: Int64(rest), origin: .packet))
  }

  var count: Int { line.count }
  var waiting: [Float] { (0..<line.count).map { line.samples[line.start + $0] } }
}

@Suite struct TimeStretchTests {
  private static let rate = SampleRate.hz16000

  @Test func shorteningAToneLeavesOutWholePeriodsWithoutAStep() {
    let tone = sine(200, sampleRate: Self.rate, count: 1_600)
    var under = LineUnderTest(tone, played: 800)
    let removed = TimeStretch(sampleRate: Self.rate).shorten(&under.line, &under.timeline, by: 300, isQuiet: false)
    #expect(removed > 0 && removed % 80 == 0)
    #expect(under.count == 800 - removed)
    // What is left is the same tone: it equals the original from the next period on.
    let left = under.waiting
    #expect(signalToNoise(Array(tone[800..<800 + left.count]), left) > 30)
  }

  @Test func lengtheningAToneRepeatsAWholePeriodWithoutAStep() {
    let tone = sine(200, sampleRate: Self.rate, count: 1_600)
    var under = LineUnderTest(tone, played: 800)
    let inserted = TimeStretch(sampleRate: Self.rate).lengthen(&under.line, &under.timeline, by: 100, isQuiet: false)
    #expect(inserted > 0 && inserted % 80 == 0)
    #expect(under.count == 800 + inserted)
    #expect(signalToNoise(Array(tone[800..<1_600]), Array(under.waiting[0..<800])) > 30)
  }

  @Test func unlikeSignalIsLeftAlone() {
    var random = SeededRandom(seed: 1)
    let noise = random.noise(count: 1_600, amplitude: 0.5)
    var under = LineUnderTest(noise, played: 800)
    let stretch = TimeStretch(sampleRate: Self.rate)
    let removed = stretch.shorten(&under.line, &under.timeline, by: 300, isQuiet: false)
    let inserted = stretch.lengthen(&under.line, &under.timeline, by: 300, isQuiet: false)
    #expect(removed == 0 && inserted == 0)
    #expect(under.waiting == Array(noise[800...]))
  }

  @Test func inAPauseTheWantedAmountIsCutAtOnce() {
    var random = SeededRandom(seed: 2)
    let noise = random.noise(count: 1_600, amplitude: 0.001)
    var under = LineUnderTest(noise, played: 800)
    let stretch = TimeStretch(sampleRate: Self.rate)
    let removed = stretch.shorten(&under.line, &under.timeline, by: 300, isQuiet: true)
    let inserted = stretch.lengthen(&under.line, &under.timeline, by: 250, isQuiet: true)
    #expect(removed == 300 && inserted == 250)
  }
}
