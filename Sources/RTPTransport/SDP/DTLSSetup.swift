/// Who begins the DTLS handshake, seen from the end that wrote it (RFC 4145 §4, RFC 8842 §5).
public enum DTLSSetup: String, Hashable, Sendable, CaseIterable {
  /// The writer begins: it is the DTLS client.
  case active
  /// The writer waits: it is the DTLS server.
  case passive
  /// Either; the answer decides.
  case either = "actpass"
  /// Neither connects for the time being (`holdconn`).
  case hold = "holdconn"
}
