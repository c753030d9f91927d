import RealtimeCore
import TestSupport
import Testing

@testable import JitterBuffer

@Suite struct ArrivalHistoryTests {
  @Test func slidingMinimumIsTheLeastOfTheWindowForAnyValues() {
    var random = SeededRandom(seed: 3)
    var minimum = SlidingMinimum(window: 7)
    var values: [Int64] = []
    for _ in 0..<500 {
      values.append(Int64.random(in: -20...20, using: &random))
      #expect(minimum.push(values.last!) == values.suffix(7).min()!)
    }
  }

  @Test func latenessIgnoresDriftAndARouteChangeOnceTheWindowHasPassed() {
    var history = ArrivalHistory()
    var late: Int64 = 0
    // 200 ppm are 4 µs per 20 ms packet; the route adds 80 ms at packet 500.
    for number in 0..<1_000 {
      let drift = Int64(number) * 4_000
      late = history.note(
        transit: drift + (number >= 500 ? 80_000_000 : 0), at: MediaInstant(milliseconds: Double(number) * 20))
      if number == 501 { #expect(late > 79_000_000) }
    }
    #expect(late < 200_000)
  }
}

@Suite struct StallTests {
  @Test func packetsHeldUpTogetherDoNotRaiseTheBase() {
    var history = ArrivalHistory()
    for number in 0..<100 {
      _ = history.note(transit: 0, at: MediaInstant(milliseconds: Double(number) * 20))
    }
    // 1 s of packets comes in one moment.
    for held in 0..<50 {
      _ = history.note(transit: Int64(50 - held) * 20_000_000, at: MediaInstant(milliseconds: 3_000))
    }
    #expect(history.base == 0)
  }
}

@Suite struct DelayEstimatorTests {
  private func run(_ lateMilliseconds: [Double], settings: JitterBufferSettings = JitterBufferSettings()) -> [Double] {
    var estimator = DelayEstimator(settings: settings)
    return lateMilliseconds.indices.map { index in
      estimator.note(
        late: Int64(lateMilliseconds[index] * 1e6), base: 0, reserve: 0,
        at: MediaInstant(milliseconds: Double(index) * 20))
      return Double(estimator.target) * 1e-6
    }
  }

  @Test func aSteadyNetworkNeedsAlmostNoDelay() {
    #expect(run(Array(repeating: 0.3, count: 800)).last! <= 2)
  }

  @Test func frequentLatenessIsCovered() {
    let target = run((0..<1_500).map { $0 % 10 == 0 ? 40 : 0 }).last!
    #expect((40...50).contains(target))
  }

  @Test func aSingleStallDoesNotRaiseTheTarget() {
    var late = Array(repeating: 1.0, count: 1_500)
    for packet in 0..<25 { late[1_000 + packet] = Double(500 - 20 * packet) }
    #expect(run(late).last! < 40)
  }

  @Test func theTargetGrowsAtOnceAndIsBackTenSecondsAfterTheCause() {
    var estimator = DelayEstimator(settings: JitterBufferSettings())
    var targets: [Double] = []
    for packet in 0..<1_500 {
      // The network's queue is 100 ms longer for a while.
      let base: Int64 = (500..<600).contains(packet) ? 100_000_000 : 0
      estimator.note(late: 0, base: base, reserve: 0, at: MediaInstant(milliseconds: Double(packet) * 20))
      targets.append(Double(estimator.target) * 1e-6)
    }
    #expect(targets[500] >= 100)
    #expect(targets[600 + 500] < 5)
    for packet in 1..<1_500 where packet != 500 { #expect(targets[packet] <= targets[packet - 1] + 1e-6) }
  }

  @Test func theSettingsLimitTheTarget() {
    var settings = JitterBufferSettings()
    settings.minimumDelayMilliseconds = 60
    #expect(run(Array(repeating: 0, count: 800), settings: settings).last! == 60)
    settings.minimumDelayMilliseconds = 0
    settings.maximumDelayMilliseconds = 30
    #expect(run((0..<800).map { $0 % 2 == 0 ? 80 : 0 }, settings: settings).allSatisfy { $0 <= 30 })
  }
}
