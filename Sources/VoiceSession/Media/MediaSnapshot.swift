public import MediaEngine
internal import RealtimeCore

/// What can be seen of a call's engine from other threads, as it was a moment ago.
public struct MediaSnapshot: Sendable, BitwiseCopyable {
  /// Counters and levels by their W3C names.
  public var statistics: MediaStatistics
  /// Levels of the user's voice by band, 0...1; the first `bandCount` count.
  public var captureLevels = InlineArray<16, Float>(repeating: 0)
  /// Levels of the agent's voice by band, 0...1.
  public var renderLevels = InlineArray<16, Float>(repeating: 0)
  /// Bands of each, at most 16.
  public var bandCount = 0
  /// The delay that the jitter buffer aims at, in ms over the fastest packets.
  public var targetDelayMilliseconds = 0.0
  /// The delay of what is being played, in ms over the fastest packets.
  public var playoutDelayMilliseconds = 0.0
  /// The turn of the agent that is being heard, the device's delay counted; -1 when it is silent.
  public var agentItem = -1
  /// How much of that turn lies before, in ms.
  public var agentMilliseconds = 0.0
  /// The device's delay before the microphone's sound is here, in ms.
  public var captureLatencyMilliseconds = 0.0
  /// The device's delay until what is rendered is heard, in ms.
  public var renderLatencyMilliseconds = 0.0
}
