internal import RealtimeCore

/// Decides what to do before the echo path is known: first keep the echo from being heard, then not the near end.
///
/// At the start what is loud while the far end plays is taken for echo and turned down: for 170 ms, and for 180 ms more
/// once an echo was found and the filters only have to learn it. If they then show no echo taken away within half a
/// second, there is none, as with a headset, and all passes untouched until they do.
struct EchoStart {
  /// Whether everything is to be turned down.
  private(set) var isClosed = false
  /// Whether everything is to pass.
  private(set) var isOpen = false

  private var hasLearnt = false
  private var hasEcho = false
  private var quietest: Float = 1
  private var loudFrames = 0
  private var activeFrames = 0

  /// Takes a frame's linear stage and the microphone's mean power.
  @_noLocks
  mutating func observe(_ linear: borrowing LinearEchoStage, power: Float) {
    hasLearnt = hasLearnt || linear.leavesLess(than: 0.1)
    hasEcho = hasEcho || linear.leavesLess(than: 0.5)
    if linear.isActive { activeFrames = min(Self.trial, activeFrames &+ 1) }
    isOpen = !hasEcho && activeFrames == Self.trial
    isClosed = false
    guard !hasLearnt, !isOpen, linear.farEndIsNear else { return }
    quietest = min(1.01 * quietest, power + 1e-8)
    if power > 8 * quietest && power > 1e-6 { loudFrames = min(Self.longestLearning, loudFrames &+ 1) }
    isClosed = loudFrames < (linear.isAligned ? Self.longestLearning : Self.longestSearch)
  }

  @_noLocks
  init() {}

  private static var longestSearch: Int { @_noLocks get { 17 } }
  private static var longestLearning: Int { @_noLocks get { 35 } }
  private static var trial: Int { @_noLocks get { 50 } }
}
