internal import CGLib
internal import CSoup

extension HTTPError {
  /// Takes over and frees a GLib error.
  /// - Parameters:
  ///   - place: host and port, for the message.
  ///   - flags: what the TLS library found wrong with the peer's certificate.
  @safe init(_ error: UnsafeMutablePointer<GError>?, at place: String, host: String, flags: GTlsCertificateFlags) {
    guard let error = unsafe error else {
      self = .connectionLost("no reason given")
      return
    }
    defer { unsafe g_error_free(error) }
    let (domain, code) = unsafe (error.pointee.domain, error.pointee.code)
    let words = unsafe String(cString: error.pointee.message)
    switch domain {
    case g_resolver_error_quark():
      self = .hostNotFound(host)
    case g_tls_error_quark():
      if flags.rawValue != 0 || code == Int32(G_TLS_ERROR_BAD_CERTIFICATE.rawValue) {
        self = .untrustedCertificate(host, CertificateProblem.problems(in: flags))
      } else if code == Int32(G_TLS_ERROR_EOF.rawValue) {
        self = .connectionLost(words)
      } else {
        self = .tlsFailed(host, reason: words)
      }
    case g_io_error_quark():
      switch code {
      case Int32(G_IO_ERROR_CANCELLED.rawValue): self = .cancelled
      case Int32(G_IO_ERROR_CONNECTION_REFUSED.rawValue): self = .refused(place)
      case Int32(G_IO_ERROR_HOST_NOT_FOUND.rawValue): self = .hostNotFound(host)
      case Int32(G_IO_ERROR_HOST_UNREACHABLE.rawValue), Int32(G_IO_ERROR_NETWORK_UNREACHABLE.rawValue),
        Int32(G_IO_ERROR_TIMED_OUT.rawValue):
        self = .unreachable(place, reason: words)
      case Int32(G_IO_ERROR_INVALID_DATA.rawValue): self = .invalidResponse(words)
      default: self = .connectionLost(words)
      }
    case soup_session_error_quark():
      switch code {
      case Int32(SOUP_SESSION_ERROR_PARSING.rawValue), Int32(SOUP_SESSION_ERROR_ENCODING.rawValue):
        self = .invalidResponse(words)
      case Int32(SOUP_SESSION_ERROR_TOO_MANY_REDIRECTS.rawValue), Int32(SOUP_SESSION_ERROR_TOO_MANY_RESTARTS.rawValue):
        self = .tooManyRedirects(limit: 20)
      case Int32(SOUP_SESSION_ERROR_REDIRECT_NO_LOCATION.rawValue),
        Int32(SOUP_SESSION_ERROR_REDIRECT_BAD_URI.rawValue):
        self = .invalidResponse(words)
      default: self = .connectionLost(words)
      }
    default: self = .connectionLost(words)
    }
  }
}
