internal import CGLib
internal import CSoup

/// Whose certificates a client accepts.
public enum TLSTrust: Sendable, Equatable {
  /// Those that the system's list of authorities vouches for, with the host's name, in their time.
  case system
  /// The same, by the authorities in a file of PEM certificates only: for a private deployment. The file may be of a
  /// self-signed server certificate itself.
  case authorities(inFile: String)
  /// Any certificate of anybody. Whoever sits on the way can read and change all that is said, keys and voices included:
  /// only for a try on a machine of one's own.
  case dangerouslyAcceptAnyCertificate
}

/// What is wrong with a certificate that was refused.
public enum CertificateProblem: Sendable, Equatable, CaseIterable {
  /// No authority that is trusted vouches for it; so it is with a self-signed one.
  case unknownAuthority
  /// It is for another host.
  case wrongHost
  /// Its time has not begun; or this machine's clock is slow.
  case notYetValid
  /// Its time is over; or this machine's clock is fast.
  case expired
  /// Its authority has taken it back.
  case revoked
  /// It is signed by means that are not safe any more.
  case insecureAlgorithm
  /// Something else that the TLS library does not name.
  case other

  var words: String {
    switch self {
    case .unknownAuthority: "no trusted authority has signed it"
    case .wrongHost: "it is for another host"
    case .notYetValid: "it is not valid yet (check this machine's clock)"
    case .expired: "it has expired (or this machine's clock is wrong)"
    case .revoked: "it was revoked"
    case .insecureAlgorithm: "its signature is of an insecure kind"
    case .other: "it is not valid"
    }
  }

  private var flag: GTlsCertificateFlags {
    switch self {
    case .unknownAuthority: G_TLS_CERTIFICATE_UNKNOWN_CA
    case .wrongHost: G_TLS_CERTIFICATE_BAD_IDENTITY
    case .notYetValid: G_TLS_CERTIFICATE_NOT_ACTIVATED
    case .expired: G_TLS_CERTIFICATE_EXPIRED
    case .revoked: G_TLS_CERTIFICATE_REVOKED
    case .insecureAlgorithm: G_TLS_CERTIFICATE_INSECURE
    case .other: G_TLS_CERTIFICATE_GENERIC_ERROR
    }
  }

  static func problems(in flags: GTlsCertificateFlags) -> [CertificateProblem] {
    allCases.filter { flags.rawValue & $0.flag.rawValue != 0 }
  }
}

/// The certificate with which a server shows who it is.
public struct TLSIdentity: Sendable, Equatable {
  /// A file of PEM certificates, the server's own first.
  public var certificateFile: String
  /// The file of its private key, PEM, without a password.
  public var keyFile: String

  /// A certificate and its key.
  public init(certificateFile: String, keyFile: String) {
    self.certificateFile = certificateFile
    self.keyFile = keyFile
  }
}
