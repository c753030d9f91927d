/// How a stream is encrypted and authenticated.
@frozen
public enum SRTPProfile: Sendable, Hashable, CaseIterable, BitwiseCopyable {
  /// AES-128 counter mode, 80-bit HMAC-SHA1 tags (RFC 3711; every SRTP endpoint has it).
  case aes128CounterModeSHA1x80
  /// AES-128 counter mode, 32-bit tags on RTP and 80-bit tags on RTCP.
  case aes128CounterModeSHA1x32
  /// AES-256 counter mode, 80-bit tags (RFC 6188; SDP only, DTLS has no number for it).
  case aes256CounterModeSHA1x80
  /// AES-128 GCM, 128-bit tags (RFC 7714).
  case aes128GCM
  /// AES-256 GCM, 128-bit tags (RFC 7714).
  case aes256GCM

  /// Bytes of the master key.
  public var keyByteCount: Int {
    switch self {
    case .aes128CounterModeSHA1x80, .aes128CounterModeSHA1x32, .aes128GCM: 16
    case .aes256CounterModeSHA1x80, .aes256GCM: 32
    }
  }

  /// Bytes of the master salt.
  public var saltByteCount: Int {
    switch self {
    case .aes128CounterModeSHA1x80, .aes128CounterModeSHA1x32, .aes256CounterModeSHA1x80: 14
    case .aes128GCM, .aes256GCM: 12
    }
  }

  /// Bytes that protection adds to an RTP packet.
  public var trailerByteCount: Int {
    @_noLocks get {
      switch self {
      case .aes128CounterModeSHA1x80, .aes256CounterModeSHA1x80: 10
      case .aes128CounterModeSHA1x32: 4
      case .aes128GCM, .aes256GCM: 16
      }
    }
  }

  /// Bytes that protection adds to an RTCP packet: the tag, and 4 of index with the encryption flag.
  public var controlTrailerByteCount: Int {
    @_noLocks get {
      switch self {
      case .aes128CounterModeSHA1x80, .aes128CounterModeSHA1x32, .aes256CounterModeSHA1x80: 14
      case .aes128GCM, .aes256GCM: 20
      }
    }
  }

  /// The name in an SDP `a=crypto` line (RFC 4568 §6.2, RFC 6188 §6, RFC 7714 §14.2).
  public var sdpName: String {
    switch self {
    case .aes128CounterModeSHA1x80: "AES_CM_128_HMAC_SHA1_80"
    case .aes128CounterModeSHA1x32: "AES_CM_128_HMAC_SHA1_32"
    case .aes256CounterModeSHA1x80: "AES_256_CM_HMAC_SHA1_80"
    case .aes128GCM: "AEAD_AES_128_GCM"
    case .aes256GCM: "AEAD_AES_256_GCM"
    }
  }

  /// The profile with this name in an SDP `a=crypto` line; `nil` for one not known here.
  public init?(sdpName: String) {
    guard let profile = Self.allCases.first(where: { $0.sdpName == sdpName }) else { return nil }
    self = profile
  }

  /// The number in DTLS's `use_srtp` extension (RFC 5764 §4.1.2, RFC 7714 §14.2); `nil` where none is registered.
  public var dtlsIdentifier: UInt16? {
    switch self {
    case .aes128CounterModeSHA1x80: 0x0001
    case .aes128CounterModeSHA1x32: 0x0002
    case .aes256CounterModeSHA1x80: nil
    case .aes128GCM: 0x0007
    case .aes256GCM: 0x0008
    }
  }
}
