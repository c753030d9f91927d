/// Why a request has no answer.
public enum HTTPError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The part of a request that took too long.
  public enum Phase: Sendable, Equatable {
    /// Finding the host, connecting and, with https or wss, the TLS handshake.
    case connecting
    /// Nothing moved in either direction.
    case idle
    /// The whole request with its answer.
    case total
    /// The WebSocket's opening handshake, from the first look-up to the server's word.
    case handshake
  }

  /// Not a URL of the schemes that serve here.
  case invalidURL(String, expected: String)
  /// No address of that name.
  case hostNotFound(String)
  /// Nothing listens at that port.
  case refused(String)
  /// The host cannot be reached; the system's words follow.
  case unreachable(String, reason: String)
  /// The server's certificate was not accepted.
  case untrustedCertificate(String, [CertificateProblem])
  /// The TLS handshake failed before or beside the certificate; the TLS library's words follow.
  case tlsFailed(String, reason: String)
  /// The file of the authorities, or a certificate or key, cannot be read.
  case certificateFile(String, reason: String)
  /// It took longer than the settings allow.
  case timedOut(Phase, seconds: Double)
  /// The body is larger than the settings allow.
  case bodyTooLarge(limit: Int)
  /// More redirects than the settings allow.
  case tooManyRedirects(limit: Int)
  /// An https server sent us to an http one; nothing was sent there.
  case insecureRedirect(to: String)
  /// The connection ended in the middle.
  case connectionLost(String)
  /// What came is no HTTP.
  case invalidResponse(String)
  /// The task was cancelled, or the client was.
  case cancelled

  /// Whether the same request may succeed later without any change.
  public var isRetryable: Bool {
    switch self {
    case .hostNotFound, .refused, .unreachable, .timedOut, .connectionLost: true
    case .invalidURL, .untrustedCertificate, .tlsFailed, .certificateFile, .bodyTooLarge, .tooManyRedirects,
      .insecureRedirect, .invalidResponse, .cancelled:
      false
    }
  }

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .invalidURL(let url, let expected): "\"\(url)\" is not a URL that serves here; give \(expected)"
    case .hostNotFound(let host): "there is no host \"\(host)\"; check its name and this machine's name service"
    case .refused(let place): "nothing listens at \(place); check the port, and whether the server runs"
    case .unreachable(let place, let reason): "\(place) cannot be reached: \(reason); check the network"
    case .untrustedCertificate(let host, let problems):
      "the certificate of \(host) is refused: \((problems.isEmpty ? [.other] : problems).map(\.words).joined(separator: ", "))"
        + "; for a private authority give its file as TLSTrust.authorities(inFile:)"
    case .tlsFailed(let host, let reason): "no TLS with \(host): \(reason); check that the port is one of TLS"
    case .certificateFile(let file, let reason): "\(file) cannot be used: \(reason); give a PEM file"
    case .timedOut(let phase, let seconds):
      switch phase {
      case .connecting: "no connection within \(seconds) s; check the address, or raise connectTimeout"
      case .idle: "nothing was sent or received for \(seconds) s; the server hangs, or raise idleTimeout"
      case .total: "the request was not done within \(seconds) s; raise totalTimeout for long answers"
      case .handshake: "no WebSocket after \(seconds) s; check that the server speaks it, or raise handshakeTimeout"
      }
    case .bodyTooLarge(let limit): "the body is larger than \(limit) bytes; read it as a stream, or raise the limit"
    case .tooManyRedirects(let limit): "more than \(limit) redirects; check the URL, or raise maximumRedirects"
    case .insecureRedirect(let target): "the server redirects from https to \(target); nothing was sent there"
    case .connectionLost(let reason): "the connection was lost: \(reason); try again"
    case .invalidResponse(let reason): "the answer is not HTTP: \(reason); check the port and scheme"
    case .cancelled: "the request was cancelled"
    }
  }
}
