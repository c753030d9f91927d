internal import COpus
public import RealtimeCore

/// Turns Opus packets (RFC 6716) into PCM, with libopus; conceals and repairs what is missing.
///
/// Packets come from the network: whatever their bytes, the outcome is samples or an error.
/// - Threads: one at a time; after `init` nothing allocates or waits.
/// - Latency added: none beyond the encoder's lookahead.
@safe  // `state` is created in init, used only here, destroyed once in deinit
public struct OpusDecoder: ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer
  /// The rate of the output, whatever the packets' bandwidth.
  public let sampleRate: SampleRate
  /// 1, or 2 for interleaved stereo, whatever the packets hold.
  public let channelCount: Int

  /// Allocates a decoder.
  /// - Parameter sampleRate: 8, 12, 16, 24 or 48 kHz; else `badArgument`.
  /// - Parameter channelCount: 1 or 2; else `badArgument`.
  public init(sampleRate: SampleRate, channelCount: Int = 1) throws(OpusError) {
    var code: Int32 = OPUS_OK
    let made = unsafe opus_decoder_create(Int32(sampleRate.hertz), Int32(clamping: channelCount), &code)
    guard let made = unsafe made else { throw OpusError(code: code) }
    unsafe state = made
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  deinit {
    unsafe opus_decoder_destroy(state)
  }

  /// Decodes one packet.
  /// - Parameter samples: receives the audio; needs `OpusPacketHeader.sampleCount(at:)` × `channelCount` places, which
  ///   120 ms always satisfy.
  /// - Returns: samples per channel written.
  /// - Throws: `invalidPacket` for malformed framing, `bufferTooSmall` when the audio does not fit; the state is then
  ///   as before.
  @_noLocks
  public mutating func decode(
    _ packet: borrowing ByteView, into samples: inout MutableSpan<Float>
  ) throws(OpusError) -> Int {
    // libopus takes an empty packet for a lost one; here it is malformed (rule R1).
    guard let header = OpusPacketHeader(packet) else { throw .invalidPacket }
    let needed = header.sampleCount(at: sampleRate)
    guard needed &* channelCount <= samples.count else { throw .bufferTooSmall }
    let decoded = unsafe opus_decode_float(
      state, packet.pointer, Int32(clamping: packet.count), samples.mutablePointer, Int32(clamping: needed), 0)
    guard decoded >= 0 else { throw OpusError(code: decoded) }
    return Int(decoded)
  }

  /// Fills in for lost audio from what was decoded before; fades out over repeated calls.
  /// - Parameter samples: is filled up to the last whole 2.5 ms.
  /// - Returns: samples per channel written; 0 when not even 2.5 ms fit.
  @_noLocks
  public mutating func conceal(into samples: inout MutableSpan<Float>) -> Int {
    let count = wholeStepSampleCount(samples.count / channelCount)
    if count == 0 { return 0 }
    let made = unsafe opus_decode_float(state, nil, 0, samples.mutablePointer, Int32(clamping: count), 0)
    return made > 0 ? Int(made) : 0
  }

  /// Decodes the low-bitrate copy, carried by `next`, of the audio just before it.
  /// - Parameter next: the packet that follows the gap; decode it with `decode(_:into:)` afterwards.
  /// - Parameter samples: as long as the gap. Filled up to the last whole 2.5 ms: the copy, one frame of `next` long,
  ///   comes at the end; what precedes it is concealed.
  /// - Returns: samples per channel written.
  /// - Throws: `noRedundancy` when `next` has no copy, `bufferTooSmall` when a frame does not fit.
  @_noLocks
  public mutating func decodeRedundancy(
    _ next: borrowing ByteView, into samples: inout MutableSpan<Float>
  ) throws(OpusError) -> Int {
    guard let header = OpusPacketHeader(next) else { throw .invalidPacket }
    guard header.hasRedundancy else { throw .noRedundancy }
    let count = wholeStepSampleCount(samples.count / channelCount)
    guard header.frameSampleCount(at: sampleRate) <= count else { throw .bufferTooSmall }
    let decoded = unsafe opus_decode_float(
      state, next.pointer, Int32(clamping: next.count), samples.mutablePointer, Int32(clamping: count), 1)
    guard decoded >= 0 else { throw OpusError(code: decoded) }
    return Int(decoded)
  }

  /// Forgets the signal so far; the gain stays.
  @_noLocks
  public mutating func reset() {
    _ = unsafe antiphon_opus_decoder_reset(state)
  }

  /// Amplifies the output from the next packet on; -128 to 128 dB in steps of 1/256 dB, clamped.
  @_noLocks
  public mutating func setGain(decibels: Float) {
    let steps = decibels.isNaN ? 0 : Swift.max(-32_768, Swift.min(decibels * 256, 32_767))
    _ = unsafe antiphon_opus_decoder_set(state, OPUS_SET_GAIN_REQUEST, Int32(steps))
  }

  /// The pitch period that the decoder last found, in samples at 48 kHz; 0 when unvoiced or unknown.
  public var pitchPeriod: Int {
    @_noLocks get {
      var value: Int32 = 0
      _ = unsafe antiphon_opus_decoder_get(state, OPUS_GET_PITCH_REQUEST, &value)
      return Int(value)
    }
  }

  /// libopus conceals in steps of 2.5 ms; more than a second at once would only be silence.
  @_noLocks
  private func wholeStepSampleCount(_ count: Int) -> Int {
    let step = sampleRate.hertz / 400
    return Swift.min(count, sampleRate.hertz) / step &* step
  }
}

extension OpusDecoder {
  /// Whether Opus runs at `rate`.
  static func supports(_ rate: SampleRate) -> Bool { sampleRate(atLeast: rate) == rate }

  /// The lowest rate of Opus that is not below `wanted`; 48 kHz when there is none.
  static func sampleRate(atLeast wanted: SampleRate) -> SampleRate {
    if wanted <= .hz8000 { return .hz8000 }
    if wanted <= .hz12000 { return .hz12000 }
    if wanted <= .hz16000 { return .hz16000 }
    return wanted <= .hz24000 ? .hz24000 : .hz48000
  }
}

// For embedders, whose memory comes as spans.
extension OpusDecoder {
  /// Decodes one packet; see `decode(_:into:)` for views.
  @_noLocks
  public mutating func decode(_ packet: Span<UInt8>, into samples: inout MutableSpan<Float>) throws(OpusError) -> Int {
    try decode(ByteView(packet), into: &samples)
  }

  /// Decodes the copy of the audio before `next`; see `decodeRedundancy(_:into:)` for views.
  @_noLocks
  public mutating func decodeRedundancy(
    _ next: Span<UInt8>, into samples: inout MutableSpan<Float>
  ) throws(OpusError) -> Int {
    try decodeRedundancy(ByteView(next), into: &samples)
  }
}
