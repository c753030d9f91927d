/// Which payload types a call has agreed on, besides which nothing is to be decoded.
@frozen
public struct PayloadTypes: Hashable, Sendable, BitwiseCopyable {
  /// What a payload carries.
  @frozen
  public enum Content: Sendable, BitwiseCopyable { case audio, redundantAudio, telephoneEvent, comfortNoise, unknown }

  /// The codec's.
  public var audio: UInt8
  /// That of pressed keys and tones (RFC 4733), if agreed; its packets repeat one timestamp, so they belong neither in a
  /// decoder nor in the jitter estimate.
  public var telephoneEvent: UInt8?
  /// That of comfort noise parameters (RFC 3389); 13 is the static one for 8 kHz codecs.
  public var comfortNoise: UInt8?

  /// That of audio with earlier audio in the same packet (RED, RFC 2198), if agreed.
  public var redundantAudio: UInt8?

  /// A call that has agreed on these.
  public init(
    audio: UInt8, telephoneEvent: UInt8? = nil, comfortNoise: UInt8? = 13, redundantAudio: UInt8? = nil
  ) {
    self.audio = audio
    self.redundantAudio = redundantAudio
    self.telephoneEvent = telephoneEvent
    self.comfortNoise = comfortNoise
  }

  /// What a packet with this payload type carries.
  @_noLocks
  public func content(of payloadType: UInt8) -> Content {
    if payloadType == audio { return .audio }
    if let redundantAudio, payloadType == redundantAudio { return .redundantAudio }
    if let telephoneEvent, payloadType == telephoneEvent { return .telephoneEvent }
    if let comfortNoise, payloadType == comfortNoise { return .comfortNoise }
    return .unknown
  }
}
