/// The codecs of a call.
public enum Codec: Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// RFC 6716 and RFC 7587.
  case opus
  /// G.711 µ-law.
  case pcmu
  /// G.711 A-law.
  case pcma
  /// Uncompressed 16-bit, network byte order.
  case l16
  /// Uncompressed 24-bit, network byte order (RFC 3190).
  case l24
  /// G.722 at 64 kbit/s: 16 kHz sound on an RTP clock of 8 kHz (RFC 3551 §4.5.2).
  case g722

  /// The encoding name that `a=rtpmap` carries.
  public var sdpName: String {
    switch self {
    case .opus: "opus"
    case .pcmu: "PCMU"
    case .pcma: "PCMA"
    case .l16: "L16"
    case .l24: "L24"
    case .g722: "G722"
    }
  }

  /// The codec of an encoding name, in upper or lower case (RFC 4855 §3); `nil` when it is none of ours.
  public init?(sdpName: String) {
    let wanted = sdpName.lowercased()
    guard let codec = Codec.allCases.first(where: { $0.sdpName.lowercased() == wanted }) else { return nil }
    self = codec
  }

  /// For the audio path, where `==` of an enum may ask the runtime for metadata.
  var isOpus: Bool {
    @_noLocks get {
      switch self {
      case .opus: true
      case .pcmu, .pcma, .l16, .l24, .g722: false
      }
    }
  }
}
