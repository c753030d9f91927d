/// Which part an end takes in the handshake.
public enum DTLSRole: Sendable {
  /// Begins: "active" in the end's own description.
  case client
  /// Waits: "passive".
  case server
}
