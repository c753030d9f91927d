internal import SignalProcessing

/// Notices a filter that adds echo instead of removing it.
///
/// SpeexDSP does so too, but after 50 such frames it prints a warning before it starts afresh, and printing waits on a
/// file. This one counts the same thing, a little more eagerly, and gets there first.
struct DivergenceGuard {
  private var worseFrameCount = 0
  private var lastNearEnd: Float = 0
  private var lastResidue: Float = 0

  /// Compares one frame before and after the filter.
  /// - Returns: whether the filter should be reset now.
  @_noLocks
  mutating func isDiverging(nearEnd: borrowing Int16Samples, residue: borrowing Int16Samples) -> Bool {
    let count = nearEnd.count
    var before: Float = 0
    var after: Float = 0
    for index in 0..<count {
      // The filter works on signals with this pre-emphasis, and judges itself there.
      let near = Float(nearEnd[index])
      let rest = Float(residue[index])
      let emphasizedNear = near - Self.preEmphasis * lastNearEnd
      let emphasizedRest = rest - Self.preEmphasis * lastResidue
      (lastNearEnd, lastResidue) = (near, rest)
      before += emphasizedNear * emphasizedNear
      after += emphasizedRest * emphasizedRest
    }
    // The margin is half of the library's: a residue of -56 dBFS over silence is no divergence.
    worseFrameCount = after > before + 10_000 * Float(count) ? worseFrameCount &+ 1 : 0
    if worseFrameCount < Self.patience { return false }
    worseFrameCount = 0
    return true
  }

  @_noLocks
  init() {}

  /// As in `mdf.c`.
  private static var preEmphasis: Float { @_noLocks get { 0.9 } }
  /// Frames: 0.4 s.
  private static var patience: Int { @_noLocks get { 40 } }
}
