import Testing

@testable import JitterBuffer

@Suite struct PlayoutOperationTests {
  private static let limits = PlayoutLimits(sampleRate: 48_000)

  private static func status(_ change: (inout PlayoutStatus) -> Void) -> PlayoutStatus {
    var status = PlayoutStatus()
    status.hasStarted = true
    status.samplesSinceDisturbance = 48_000
    change(&status)
    return status
  }

  static let table: [(PlayoutStatus, PlayoutOperation)] = [
    (status { $0.hasStarted = false }, .wait),
    (status { ($0.hasStarted, $0.supply) = (false, .present) }, .wait),
    (status { ($0.hasStarted, $0.supply, $0.isDue) = (false, .present, true) }, .normal),
    (status { $0.supply = .empty }, .expand),
    (status { ($0.supply, $0.senderPauses) = (.empty, true) }, .comfortNoise),
    (status { $0.supply = .gap }, .expand),
    (status { ($0.supply, $0.senderPauses) = (.gap, true) }, .comfortNoise),
    (status { $0.supply = .gapWithRedundancy }, .recover),
    (status { $0.supply = .present }, .normal),
    (status { ($0.supply, $0.isConcealing, $0.excess) = (.present, true, 9_600) }, .merge),
    (status { ($0.supply, $0.excess) = (.present, 480) }, .normal),
    (status { ($0.supply, $0.excess) = (.present, 960) }, .accelerate),
    (status { ($0.supply, $0.excess, $0.isQuiet) = (.present, 120, true) }, .accelerate),
    (status { ($0.supply, $0.excess, $0.isQuiet) = (.present, 119, true) }, .normal),
    (status { ($0.supply, $0.shortage) = (.present, 479) }, .normal),
    (status { ($0.supply, $0.shortage) = (.present, 480) }, .decelerate),
    (status { ($0.supply, $0.shortage, $0.isQuiet) = (.present, 48, true) }, .decelerate),
    (status { ($0.supply, $0.excess, $0.samplesSinceDisturbance) = (.present, 9_600, 2_879) }, .normal),
    (
      status { ($0.supply, $0.excess, $0.isQuiet, $0.samplesSinceDisturbance) = (.present, 9_600, true, 0) },
      .accelerate
    ),
  ]

  @Test(arguments: table.indices)
  func theDecisionFollowsFromTheState(_ row: Int) {
    let (status, expected) = Self.table[row]
    #expect(decidePlayout(status, Self.limits) == expected, "\(status)")
  }
}
