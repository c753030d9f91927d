/// Counters of one stream's playout since it was made; by the names of W3C webrtc-stats where the meaning is the same.
public struct StreamPlayoutStatistics: Hashable, Sendable, BitwiseCopyable {
  /// Samples that came and were stored.
  public var samplesReceived = 0
  /// Samples of the stream that were played.
  public var jitterBufferEmittedCount = 0
  /// All samples played while an answer was on: emitted and concealed ones.
  public var totalSamplesReceived = 0
  /// Samples played in place of such as had not come yet.
  public var concealedSamples = 0
  /// Those of the concealed samples that were silent.
  public var silentConcealedSamples = 0
  /// Runs of concealed samples.
  public var concealmentEvents = 0
  /// Samples put in where the producer was about to fall behind.
  public var insertedSamplesForDeceleration = 0
  /// How often an answer went on after its producer had let playout run dry.
  public var underruns = 0
  /// Appends that found too little room.
  public var overruns = 0
  /// Samples taken away by a flush.
  public var flushedSamples = 0
  /// Bytes that came for an answer which had been flushed or had ended.
  public var lateBytes = 0
  /// Payloads that the codec could not read.
  public var malformedPackets = 0

  /// All zero.
  public init() {}
}
