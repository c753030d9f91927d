/// Whether it pays to wait one packet longer so that in-band FEC can be used.
///
/// The low-rate copy of a packet travels in the next one. When many packets carry one and many are missing, the target
/// grows by a packet's duration.
struct RecoveryEstimator: Sendable, BitwiseCopyable {
  private var redundancyShare: Float = 0
  private var missingShare: Float = 0

  /// Missing packets per packet from which on waiting pays: 2 %.
  static var missingLimit: Float { @_noLocks get { 0.02 } }
  private static var gain: Float { @_noLocks get { 0.01 } }

  @_noLocks
  init() {}

  /// Takes what a packet carries.
  @_noLocks
  mutating func noteReceived(hasRedundancy: Bool) {
    redundancyShare += ((hasRedundancy ? 1 : 0) - redundancyShare) * 0.05
  }

  /// Takes the packets found missing before one that was decoded.
  @_noLocks
  mutating func noteDecoded(missing: Int) {
    missingShare -= missingShare * Self.gain
    for _ in 0..<min(missing, 10) { missingShare += (1 - missingShare) * Self.gain }
  }

  var pays: Bool { @_noLocks get { redundancyShare > 0.3 && missingShare > Self.missingLimit } }
}
