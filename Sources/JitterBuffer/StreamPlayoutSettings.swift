public import AudioCodecs
public import RealtimeCore

/// How an agent's audio comes over a socket.
public enum StreamFormat: Hashable, Sendable, BitwiseCopyable {
  /// Signed 16-bit samples, least significant byte first, in chunks of any number of bytes, odd ones included.
  case pcm16(SampleRate)
  /// A codec's payloads without RTP: whole packets of Opus, chunks of any size of the others.
  case coded(CodecFormat)
}

extension StreamFormat {
  /// The rate at which it is played.
  public var sampleRate: SampleRate {
    switch self {
    case .pcm16(let rate): rate
    case .coded(let format):
      format.codec == .opus ? .hz48000 : (try? SampleRate(hertz: format.clockRate)) ?? .hz8000
    }
  }
}

/// How a stream's playout trades its start against breaks, and how much it can store.
public struct StreamPlayoutSettings: Hashable, Sendable, BitwiseCopyable {
  /// How many seconds of audio can wait (1 to 600), at 2 bytes a sample: 120 s at 24 kHz are 5.8 MB.
  public var capacitySeconds = 120
  /// Playout begins at the earliest this many milliseconds after an answer's first sample came, or with as much in store
  /// (0 to `maximumReserveMilliseconds`).
  public var minimumReserveMilliseconds = 40
  /// However slow the producer was, playout waits no longer than this (up to 5,000).
  public var maximumReserveMilliseconds = 1_500
  /// How long a hold lasts before it becomes a flush, in milliseconds (100 to 10,000).
  public var longestHoldMilliseconds = 2_000

  /// The defaults.
  public init() {}

  /// Traps on a setting that is out of range.
  func check() {
    precondition(
      (1...600).contains(capacitySeconds), "StreamPlayout: capacitySeconds \(capacitySeconds) is outside 1 to 600")
    precondition(
      (0...5_000).contains(maximumReserveMilliseconds),
      "StreamPlayout: maximumReserveMilliseconds \(maximumReserveMilliseconds) is outside 0 to 5000")
    precondition(
      (0...maximumReserveMilliseconds).contains(minimumReserveMilliseconds),
      "StreamPlayout: minimumReserveMilliseconds \(minimumReserveMilliseconds) is outside 0 to \(maximumReserveMilliseconds)"
    )
    precondition(
      (100...10_000).contains(longestHoldMilliseconds),
      "StreamPlayout: longestHoldMilliseconds \(longestHoldMilliseconds) is outside 100 to 10000")
  }
}

/// What became of audio that was given to `StreamPlayout.append`.
public struct StreamAppendOutcome: Hashable, Sendable, BitwiseCopyable {
  /// Why it took what it took.
  public enum Kind: Hashable, Sendable, BitwiseCopyable {
    /// All waits for its turn.
    case taken
    /// The store is full: the bytes behind `byteCount` are the caller's to keep and to give again.
    case full
    /// It belongs to an answer that was flushed: dropped.
    case flushed
    /// It belongs to an answer that has ended: dropped.
    case ended
    /// The codec cannot read it: dropped.
    case malformed
  }

  /// What became of it.
  public let kind: Kind
  /// Bytes that need not be given again.
  public let byteCount: Int

  /// An outcome.
  @_noLocks
  public init(_ kind: Kind, _ byteCount: Int) {
    self.kind = kind
    self.byteCount = byteCount
  }
}

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
