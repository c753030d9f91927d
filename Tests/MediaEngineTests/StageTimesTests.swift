import Foundation
import TestSupport
import Testing

@testable import MediaEngine

/// The histogram of stage times against a plain sort.
@Suite struct StageTimesTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func quantilesAreWithinABucketOfTheExactOnes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var times = StageTimes(isOn: true)
    // From a tick to minutes, each octave as likely.
    let ticks = (0..<5_000).map { _ in UInt64(exp2(Double.random(in: 0...37, using: &random))) }
    for value in ticks { times.note(value, for: .encoding) }
    let sorted = ticks.sorted()
    let cost = times.cost(of: .encoding)!
    #expect(cost.callCount == 5_000)
    #expect(cost.totalTicks == ticks.reduce(0, +))
    #expect(cost.worstTicks == sorted.last)
    for (found, exact) in [(cost.medianTicks, sorted[2_499]), (cost.p99Ticks, sorted[4_949])] {
      #expect(found >= exact && Double(found) <= Double(exact) * 1.0625 + 1, "\(found), exactly \(exact), seed \(seed)")
    }
    #expect(times.cost(of: .protection) == nil)
  }

  @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 1_000, UInt64.max / 2, .max])
  func anyTimeFindsABucket(ticks: UInt64) {
    var times = StageTimes(isOn: true)
    times.note(ticks, for: .echoReference)
    let cost = times.cost(of: .echoReference)!
    #expect(cost.worstTicks == ticks && cost.totalTicks == ticks)
    #expect(cost.medianTicks == cost.p99Ticks)
    // Beyond 40 octaves times share the last bucket.
    if ticks < 1 << 42 { #expect(cost.medianTicks == ticks) }
  }

  @Test func switchedOffNothingIsKept() {
    var times = StageTimes(isOn: false)
    times.start()
    times.end(.encoding)
    #expect(times.cost(of: .encoding) == nil)
  }
}
