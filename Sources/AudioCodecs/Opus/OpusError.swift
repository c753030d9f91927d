internal import COpus

/// What went wrong in the Opus encoder or decoder.
public enum OpusError: Error, Equatable, Sendable, CustomStringConvertible {
  /// libopus refuses a sample rate, channel count or size; see the limits where it is documented.
  case badArgument
  /// A setting, by its name in `OpusEncoderSettings`, outside its limits.
  case unsupportedSetting(Setting, value: Int, lowest: Int, highest: Int)
  /// The output has no room for the packet or the samples; give at least what the documentation of the call says.
  case bufferTooSmall
  /// libopus found its own state inconsistent; reset or replace the encoder or decoder.
  case internalFailure
  /// The packet breaks the framing rules of RFC 6716 §3.4; drop it and conceal.
  case invalidPacket
  /// This build of libopus lacks the setting.
  case unimplemented
  /// The handle is unusable; replace the encoder or decoder.
  case invalidState
  /// There was no memory for the handle.
  case outOfMemory
  /// The packet carries no FEC copy of the audio before it; conceal instead.
  case noRedundancy
  /// A frame of `given` samples where the encoder takes exactly `needed`.
  case wrongFrameSize(given: Int, needed: Int)
  /// A code that the documentation of libopus does not name.
  case unknown(code: Int)

  /// The settings that have limits.
  public enum Setting: String, Sendable {
    case complexity, expectedPacketLoss
  }

  /// The only place where a code of libopus becomes an error; `code` is negative.
  @_noLocks
  init(code: Int32) {
    switch code {
    case OPUS_BAD_ARG: self = .badArgument
    case OPUS_BUFFER_TOO_SMALL: self = .bufferTooSmall
    case OPUS_INTERNAL_ERROR: self = .internalFailure
    case OPUS_INVALID_PACKET: self = .invalidPacket
    case OPUS_UNIMPLEMENTED: self = .unimplemented
    case OPUS_INVALID_STATE: self = .invalidState
    case OPUS_ALLOC_FAIL: self = .outOfMemory
    default: self = .unknown(code: Int(code))
    }
  }

  /// What happened and what to do, in one sentence.
  public var description: String {
    switch self {
    case .badArgument: "Opus refuses a sample rate, channel count or size; stay within its documented limits"
    case .unsupportedSetting(let setting, let value, let lowest, let highest):
      "the Opus setting \(setting.rawValue) of \(value) is outside \(lowest) to \(highest)"
    case .bufferTooSmall: "the output is too small for what Opus has to write; give more room"
    case .internalFailure: "libopus reports an internal error; reset the encoder or decoder"
    case .invalidPacket: "the Opus packet is malformed; drop it and conceal"
    case .unimplemented: "this libopus lacks the setting; use a newer one or leave it out"
    case .invalidState: "the Opus handle is unusable; make a new one"
    case .outOfMemory: "no memory for an Opus handle"
    case .noRedundancy: "the Opus packet carries no FEC copy; conceal instead"
    case .wrongFrameSize(let given, let needed): "\(given) samples were given where a frame has \(needed)"
    case .unknown(let code): "libopus returned \(code), which it does not document"
    }
  }
}
