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

  /// The encoding name that `a=rtpmap` carries.
  public var sdpName: String {
    switch self {
    case .opus: "opus"
    case .pcmu: "PCMU"
    case .pcma: "PCMA"
    case .l16: "L16"
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
      case .pcmu, .pcma, .l16: false
      }
    }
  }
}
