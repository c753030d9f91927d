import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct BitrateControlTests {
  /// The bitrate after `seconds` of a report a second.
  private func run(
    _ control: inout BitrateControl, seconds: Range<Int>, loss: (Int) -> Double, roundTrip: (Int) -> Double?
  ) {
    for second in seconds {
      control.update(
        fractionLost: loss(second), roundTripTime: roundTrip(second),
        at: MediaInstant(nanoseconds: Int64(second) * 1_000_000_000))
    }
  }

  @Test func itGrowsWithoutLossAndStaysWithinItsBounds() {
    var control = BitrateControl(bounds: 12_000...48_000, start: 20_000)
    run(&control, seconds: 0..<6, loss: { _ in 0 }, roundTrip: { _ in 0.05 })
    #expect((28_000...31_000).contains(control.bitrate))
    run(&control, seconds: 6..<60, loss: { _ in 0 }, roundTrip: { _ in 0.05 })
    #expect(control.bitrate == 48_000)
    run(&control, seconds: 60..<120, loss: { _ in 0.5 }, roundTrip: { _ in 0.05 })
    #expect(control.bitrate == 12_000)
    #expect(control.expectedLossPercent == 30)
  }

  @Test func aLittleLossHoldsItAndAsksForCopies() {
    var control = BitrateControl(bounds: 8_000...64_000, start: 32_000)
    run(&control, seconds: 0..<30, loss: { _ in 0.05 }, roundTrip: { _ in 0.05 })
    #expect(control.bitrate == 32_000)
    #expect(control.expectedLossPercent == 5)
    run(&control, seconds: 30..<60, loss: { _ in 0 }, roundTrip: { _ in 0.05 })
    #expect(control.expectedLossPercent == 0)
  }

  @Test func aGrowingQueueTakesItBackAndALongPathDoesNot() {
    var control = BitrateControl(bounds: 8_000...64_000, start: 32_000)
    run(&control, seconds: 0..<10, loss: { _ in 0 }, roundTrip: { _ in 0.6 })
    #expect(control.bitrate > 32_000)
    let before = control.bitrate
    run(&control, seconds: 10..<14, loss: { _ in 0 }, roundTrip: { 0.6 + 0.3 * Double($0 - 9) })
    #expect(control.bitrate < before)
  }

  /// Whatever a report claims.
  @Test func noReportTakesItOutOfItsBounds() {
    var random = SeededRandom(seed: 5)
    var control = BitrateControl(bounds: 6_000...40_000, start: 1_000_000)
    #expect(control.bitrate == 40_000)
    for _ in 0..<10_000 {
      let values = [Double.nan, .infinity, -.infinity, -1, 0, 0.01, 0.3, 1, 1e300]
      control.update(
        fractionLost: values.randomElement(using: &random)!, roundTripTime: values.randomElement(using: &random)!,
        at: MediaInstant(nanoseconds: Int64.random(in: 0...Int64.max / 2, using: &random)))
      #expect((6_000...40_000).contains(control.bitrate) && (0...30).contains(control.expectedLossPercent))
    }
  }
}
