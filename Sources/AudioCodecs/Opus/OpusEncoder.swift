internal import COpus
public import RealtimeCore

/// Turns frames of PCM into Opus packets (RFC 6716), with libopus.
///
/// - Threads: one at a time; after `init` nothing allocates or waits.
/// - Latency added: `lookahead` samples beside the frame itself.
@safe  // `state` is created in init, used only here, destroyed once in deinit
public struct OpusEncoder: ~Copyable, @unchecked Sendable {
  /// Room that always suffices: a TOC byte and the largest frame, 1,275 bytes (RFC 6716 §3.2.1). Only 40 and 60 ms of
  /// CELT, which are two or three frames, can use more, above 170 kbit/s.
  public static var maximumPacketByteCount: Int { 1_276 }

  private let state: OpaquePointer
  /// The rate of the input.
  public let sampleRate: SampleRate
  /// 1, or 2 for interleaved stereo.
  public let channelCount: Int
  /// Samples per channel that `encode` takes.
  public let frameSampleCount: Int
  /// Samples per channel by which decoded audio lags behind the input: 6.5 ms, or 2.5 ms with `lowDelay`.
  public let lookahead: Int
  private var discontinuous: Bool
  private var isPausing = false

  /// Allocates an encoder.
  /// - Parameter sampleRate: 8, 12, 16, 24 or 48 kHz; else `badArgument`.
  /// - Parameter channelCount: 1 or 2; else `badArgument`.
  /// - Throws: `unsupportedSetting` when complexity is outside 0 to 10 or expected loss outside 0 to 100 percent.
  public init(
    sampleRate: SampleRate, channelCount: Int = 1, frameDuration: OpusFrameDuration = .ms20,
    settings: OpusEncoderSettings = OpusEncoderSettings()
  ) throws(OpusError) {
    try Self.check(settings.complexity, atMost: 10, .complexity)
    try Self.check(settings.expectedPacketLoss, atMost: 100, .expectedPacketLoss)
    var code: Int32 = OPUS_OK
    let channels = Int32(clamping: channelCount)
    let made = unsafe opus_encoder_create(Int32(sampleRate.hertz), channels, settings.application.opusValue, &code)
    guard let made = unsafe made else { throw OpusError(code: code) }
    do throws(OpusError) {
      try unsafe Self.apply(settings, to: made)
    } catch {
      unsafe opus_encoder_destroy(made)  // `self` is not complete, so `deinit` will not do it
      throw error
    }
    var delay: Int32 = 0
    _ = unsafe antiphon_opus_encoder_get(made, OPUS_GET_LOOKAHEAD_REQUEST, &delay)
    lookahead = Int(delay)
    unsafe state = made
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    frameSampleCount = sampleRate.hertz * frameDuration.microseconds / 1_000_000
    discontinuous = settings.discontinuousTransmission
  }

  deinit {
    unsafe opus_encoder_destroy(state)
  }

  /// Encodes one frame of exactly `frameSampleCount × channelCount` samples.
  /// - Parameter packet: receives the packet. Room for fewer bytes than the bitrate asks lowers the quality so that it
  ///   fits; `maximumPacketByteCount` never limits a frame.
  /// - Returns: the bytes written; 0 when discontinuous transmission has nothing to send for this frame. A pause begins
  ///   with one packet of 1 or 2 bytes.
  @_noLocks
  public mutating func encode(
    _ frame: borrowing SampleView, into packet: inout MutableSpan<UInt8>
  ) throws(OpusError) -> Int {
    let needed = frameSampleCount &* channelCount
    guard frame.count == needed else { throw .wrongFrameSize(given: frame.count, needed: needed) }
    let room = Int32(clamping: packet.count)
    guard room > 0 else { throw .bufferTooSmall }
    let written = unsafe opus_encode_float(
      state, frame.pointer, Int32(truncatingIfNeeded: frameSampleCount), packet.mutablePointer, room)
    guard written >= 0 else { throw OpusError(code: written) }
    // libopus: "if the return value is 2 bytes or less, then the packet does not need to be transmitted (DTX)". The first
    // one is sent all the same: by it the receiver knows a pause from a loss.
    guard discontinuous && written <= 2 else {
      isPausing = false
      return Int(written)
    }
    if isPausing { return 0 }
    isPausing = true
    return Int(written)
  }

  /// Encodes one frame; see `encode(_:into:)` for views.
  @_noLocks
  public mutating func encode(_ frame: Span<Float>, into packet: inout MutableSpan<UInt8>) throws(OpusError) -> Int {
    try encode(SampleView(frame), into: &packet)
  }

  /// Forgets the signal so far; settings stay.
  @_noLocks
  public mutating func reset() {
    isPausing = false
    _ = unsafe antiphon_opus_encoder_reset(state)
  }
}

// Settings that may change between two frames, from the thread that encodes.
extension OpusEncoder {
  /// Sets the bitrate from the next frame on.
  @_noLocks
  public mutating func setBitrate(_ bitrate: OpusEncoderSettings.Bitrate) throws(OpusError) {
    try set(OPUS_SET_BITRATE_REQUEST, bitrate.opusValue)
  }

  /// Sets the percent of packets expected to get lost, 0 to 100; else `unsupportedSetting`.
  @_noLocks
  public mutating func setExpectedPacketLoss(_ percent: Int) throws(OpusError) {
    try Self.check(percent, atMost: 100, .expectedPacketLoss)
    try set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(clamping: percent))
  }

  /// Switches in-band FEC.
  @_noLocks
  public mutating func setForwardErrorCorrection(_ isOn: Bool) throws(OpusError) {
    try set(OPUS_SET_INBAND_FEC_REQUEST, isOn ? 1 : 0)
  }

  /// Switches discontinuous transmission.
  @_noLocks
  public mutating func setDiscontinuousTransmission(_ isOn: Bool) throws(OpusError) {
    try set(OPUS_SET_DTX_REQUEST, isOn ? 1 : 0)
    discontinuous = isOn
  }

  /// Sets the complexity, 0 to 10; else `unsupportedSetting`.
  @_noLocks
  public mutating func setComplexity(_ complexity: Int) throws(OpusError) {
    try Self.check(complexity, atMost: 10, .complexity)
    try set(OPUS_SET_COMPLEXITY_REQUEST, Int32(clamping: complexity))
  }

  /// Bits per second now in use, also where libopus chose them.
  public var bitrate: Int {
    @_noLocks get {
      var value: Int32 = 0
      _ = unsafe antiphon_opus_encoder_get(state, OPUS_GET_BITRATE_REQUEST, &value)
      return Int(value)
    }
  }

  @_noLocks
  private static func check(_ value: Int, atMost highest: Int, _ setting: OpusError.Setting) throws(OpusError) {
    guard value >= 0 && value <= highest else {
      throw .unsupportedSetting(setting, value: value, lowest: 0, highest: highest)
    }
  }

  private static func apply(_ settings: OpusEncoderSettings, to state: OpaquePointer) throws(OpusError) {
    try unsafe set(OPUS_SET_BITRATE_REQUEST, settings.bitrate.opusValue, in: state)
    try unsafe set(OPUS_SET_COMPLEXITY_REQUEST, Int32(clamping: settings.complexity), in: state)
    try unsafe set(OPUS_SET_VBR_REQUEST, settings.rateControl == .constant ? 0 : 1, in: state)
    try unsafe set(OPUS_SET_VBR_CONSTRAINT_REQUEST, settings.rateControl == .constrainedVariable ? 1 : 0, in: state)
    try unsafe set(OPUS_SET_INBAND_FEC_REQUEST, settings.forwardErrorCorrection ? 1 : 0, in: state)
    try unsafe set(OPUS_SET_PACKET_LOSS_PERC_REQUEST, Int32(clamping: settings.expectedPacketLoss), in: state)
    try unsafe set(OPUS_SET_DTX_REQUEST, settings.discontinuousTransmission ? 1 : 0, in: state)
    try unsafe set(OPUS_SET_MAX_BANDWIDTH_REQUEST, settings.maximumBandwidth.opusValue, in: state)
    try unsafe set(OPUS_SET_BANDWIDTH_REQUEST, settings.bandwidth?.opusValue ?? OPUS_AUTO, in: state)
    try unsafe set(OPUS_SET_SIGNAL_REQUEST, settings.signal.opusValue, in: state)
  }

  @_noLocks
  private mutating func set(_ request: Int32, _ value: Int32) throws(OpusError) {
    try unsafe Self.set(request, value, in: state)
  }

  @_noLocks
  private static func set(_ request: Int32, _ value: Int32, in state: OpaquePointer) throws(OpusError) {
    let code = unsafe antiphon_opus_encoder_set(state, request, value)
    guard code == OPUS_OK else { throw OpusError(code: code) }
  }
}
