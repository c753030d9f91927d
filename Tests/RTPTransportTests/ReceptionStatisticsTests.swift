import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct ReceptionStatisticsTests {
  private func header(_ sequence: Int, timestamp: Int? = nil) -> RTPHeader {
    RTPHeader(
      payloadType: 0, sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: sequence)),
      timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: timestamp ?? sequence &* 160)), ssrc: 1)
  }

  private func outcomes(_ numbers: [Int], probation: Int = 0) -> ([SequenceValidator.Outcome], SequenceValidator) {
    var validator = SequenceValidator(probation: probation)
    let outcomes = numbers.map { validator.register(SequenceNumber(UInt16(truncatingIfNeeded: $0))) }
    return (outcomes, validator)
  }

  @Test func aStrangerIsOnProbationUntilTwoPacketsCameInOrder() {
    let (found, validator) = outcomes([10, 500, 501, 502], probation: 2)
    #expect(found == [.onProbation, .onProbation, .inOrder, .inOrder])
    #expect(validator.receivedCount == 2 && validator.expectedCount == 2)
    let (announced, known) = outcomes([10, 11])
    #expect(announced == [.inOrder, .inOrder] && known.receivedCount == 2)
  }

  @Test func gapsDisorderAndDoublesAreToldApart() {
    let (found, validator) = outcomes([100, 101, 104, 102, 102, 104, 105])
    #expect(found == [.inOrder, .inOrder, .inOrder, .reordered, .duplicate, .duplicate, .inOrder])
    #expect(validator.expectedCount == 6 && validator.receivedCount == 7)
    #expect(validator.duplicateCount == 2 && validator.reorderedCount == 1)
  }

  /// Telephone events take numbers of the stream and repeat one timestamp: no losses, no jitter.
  @Test func telephoneEventsAreNoLossesAndNoJitter() {
    var statistics = ReceptionStatistics(clockRate: 8_000, probation: 0)
    for number in 0..<100 {
      let arrival = MediaInstant(milliseconds: Double(20 * number))
      if (40..<50).contains(number) {
        statistics.registerUntimed(header(number, timestamp: 40 * 160), payloadByteCount: 4)
      } else {
        statistics.register(header(number), payloadByteCount: 160, at: arrival)
      }
    }
    #expect(statistics.packetsLost == 0 && statistics.packetsReceived == 100)
    #expect(statistics.bytesReceived == 90 * 160 + 10 * 4)
    #expect(statistics.jitter < 1e-9)
  }

  @Test func theNumberOfTurnsIsInTheExtendedSequenceNumber() {
    let (found, validator) = outcomes(Array(65_500..<65_536 * 2 + 10))
    #expect(found.allSatisfy { $0 == .inOrder })
    #expect(validator.extendedHighestSequenceNumber == 65_536 * 2 + 9)
    #expect(validator.expectedCount == 65_536 * 2 + 10 - 65_500)
  }

  @Test func oneFarPacketIsNotBelievedTwoInOrderAre() {
    let (found, validator) = outcomes([100, 101, 40_000, 102, 50_000, 50_001, 50_002])
    #expect(found == [.inOrder, .inOrder, .farAway, .inOrder, .farAway, .restarted, .inOrder])
    #expect(validator.restartCount == 1)
    #expect(validator.expectedCount == 5 && validator.receivedCount == 5, "the counts go on over the restart")
    #expect(outcomes([1_000, 1_000 + 2_999]).0[1] == .inOrder)
    #expect(outcomes([1_000, 1_000 + 3_000]).0[1] == .farAway)
    #expect(outcomes([1_000, 1_000 - 100]).0[1] == .reordered)
    #expect(outcomes([1_000, 1_000 - 101]).0[1] == .farAway)
  }

  @Test func lossIsNegativeWhenDoublesOutnumberIt() {
    var statistics = ReceptionStatistics(clockRate: 8_000, probation: 0)
    for sequence in [1, 2, 2, 2, 3] { statistics.register(header(sequence), payloadByteCount: 160, at: .zero) }
    #expect(statistics.packetsReceived == 5 && statistics.packetsLost == -2 && statistics.packetsDuplicated == 2)
    #expect(statistics.bytesReceived == 800)
    #expect(statistics.takeFractionLost() == 0)
  }

  @Test func fractionLostCoversTheTimeSinceTheLastReport() {
    var statistics = ReceptionStatistics(clockRate: 8_000, probation: 0)
    for sequence in 0..<100 where sequence % 4 != 1 {
      statistics.register(header(sequence), payloadByteCount: 160, at: .zero)
    }
    #expect(statistics.takeFractionLost() == 64 && statistics.packetsLost == 25)
    for sequence in 100..<200 { statistics.register(header(sequence), payloadByteCount: 160, at: .zero) }
    #expect(statistics.takeFractionLost() == 0 && statistics.packetsLost == 25)
    #expect(statistics.takeFractionLost() == 0, "nothing came since")
  }

  @Test func jitterIsThatOfTheRFCsIntegerAlgorithm() {
    // RFC 3550 A.8 in whole ticks, kept 16 times as large as the jitter.
    var random = SeededRandom(seed: 8)
    var statistics = ReceptionStatistics(clockRate: 48_000, probation: 0)
    var scaled = 0.0
    var lastTransit: Int?
    let offset = Int(UInt32.max) - 960 * 100  // timestamps wrap during the test
    for sequence in 0..<1_000 {
      let ticks = 960 * sequence + Int.random(in: 0...1_920, using: &random)
      let transit = ticks - 960 * sequence
      if let lastTransit { scaled += Double(abs(transit - lastTransit)) - scaled / 16 }
      lastTransit = transit
      statistics.register(
        header(sequence, timestamp: offset + 960 * sequence), payloadByteCount: 1,
        at: MediaInstant(nanoseconds: Int64(ticks) * 62_500 / 3))
    }
    #expect(abs(statistics.jitter - scaled / 16 / 48_000) < 1e-7)
    #expect(statistics.jitter > 0.005 && statistics.jitter < 0.03)
  }

  @Test func evenArrivalHasNoJitter() {
    var statistics = ReceptionStatistics(clockRate: 8_000, probation: 0)
    for sequence in 0..<500 {
      statistics.register(
        header(sequence), payloadByteCount: 160, at: MediaInstant(nanoseconds: Int64(sequence) * 20_000_000))
    }
    #expect(statistics.jitter < 1e-9)
  }
}
