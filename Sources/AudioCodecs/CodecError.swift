/// Why a codec could not be made, or a frame not be coded.
public enum CodecError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The codec does not run at this rate; resample to one of those that `AudioEncoder` names.
  case unsupportedSampleRate(hertz: Int, Codec)
  /// The codec has no packets of this duration; see `CodecFormat.packetDuration`.
  case unsupportedPacketDuration(microseconds: Int, Codec)
  /// A frame of `given` samples where the encoder takes exactly `needed`.
  case wrongFrameSize(given: Int, needed: Int)
  /// The output has `room` places and needs `needed`.
  case outputTooSmall(room: Int, needed: Int)
  /// The payload is malformed; drop the packet and conceal.
  case malformedPayload(byteCount: Int)
  /// The payload has no copy of the audio before it; conceal instead.
  case noRedundancy
  /// There was no memory for the codec's state; end other calls first.
  case outOfMemory
  /// Opus refused; see the error.
  case opus(OpusError)

  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .unsupportedSampleRate(let hertz, let codec):
      "\(codec.sdpName) does not run at \(hertz) Hz; resample first"
    case .unsupportedPacketDuration(let microseconds, let codec):
      "\(codec.sdpName) has no packets of \(microseconds) µs; 20000 always works"
    case .wrongFrameSize(let given, let needed): "\(given) samples were given where a frame has \(needed)"
    case .outputTooSmall(let room, let needed): "the output has room for \(room) and needs \(needed)"
    case .malformedPayload(let byteCount): "a payload of \(byteCount) bytes is malformed; drop it and conceal"
    case .noRedundancy: "the payload carries no FEC copy; conceal instead"
    case .outOfMemory: "there is no memory for the codec's state; end other calls first"
    case .opus(let error): error.description
    }
  }
}
