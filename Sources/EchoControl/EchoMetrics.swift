/// How well an echo canceller does, for statistics; names as in W3C webrtc-stats.
public struct EchoMetrics: Hashable, Sendable, BitwiseCopyable {
  /// Far-end level over microphone level, in dB: what room and devices take away. 0 until the far end has spoken.
  public var echoReturnLoss: Float = 0
  /// Microphone level over output level while the far end speaks, in dB: what the canceller takes away. Low in double
  /// talk, where the near end rightly stays. 0 until the far end has spoken.
  public var echoReturnLossEnhancement: Float = 0
  /// How much later than the far end its echo was found to begin, in ms; `nil` before it was found. Our own engine only.
  public var delayMilliseconds: Int?
  /// Far-end frames dropped because captures did not keep up.
  public var farEndOverrunCount = 0
  /// Captures without a far-end frame; they were processed against silence.
  public var farEndUnderrunCount = 0
  /// How often the filter made things worse for 0.4 s and was started afresh.
  public var divergenceCount = 0
  /// Samples of either end that were NaN or infinite, taken as 0.
  public var repairedSampleCount = 0

  /// No call yet.
  @_noLocks
  public init() {}
}
