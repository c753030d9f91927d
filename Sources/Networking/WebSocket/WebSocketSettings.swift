/// Limits in time and size of one WebSocket; the same for both roles.
public struct WebSocketSettings: Sendable {
  /// From the first look-up to the server's word; seconds. Clients only.
  public var handshakeTimeout = 10.0
  /// Whose certificates are accepted. Clients only.
  public var trust = TLSTrust.system
  /// The User-Agent field. Clients only.
  public var userAgent = "Antiphon"

  /// permessage-deflate (RFC 7692). Off: PCM does not get smaller, and libsoup inflates a frame as a whole before its
  /// size is known, up to 1,032 times what `maximumMessageBytes` lets in. On only with peers that are trusted.
  public var allowsCompression = false
  /// The largest message that is accepted; a larger one ends the connection with 1009. Beside it, a message cut into very
  /// small frames may take at most twice this and 64 KiB on the wire.
  public var maximumMessageBytes = 1 << 20
  /// A ping goes out this often; whole seconds, `nil` for none.
  public var keepaliveSeconds: Int? = 20
  /// How long after a ping at the latest something must come, pong or anything else; seconds. A ping may be up to 1 s late,
  /// which is allowed for. Not watched while the consumer is behind and reading stands still.
  public var pongTimeout = 10.0
  /// The connection ends after so many seconds without a message in either direction; `nil` for never.
  public var idleTimeout: Double?
  /// How long `close` waits for the peer; seconds, below the 5 s that libsoup waits.
  public var closeTimeout = 3.0

  /// While more than this waits for the socket, `send` waits and `offer` refuses; bytes.
  public var sendBufferBytes = 256 << 10
  /// While more than this waits, the callers of `send` included, `send` throws; bytes.
  public var sendBacklogBytes = 4 << 20
  /// While more than this waits for the consumer, nothing is read and TCP slows the peer down; bytes, of which each
  /// message counts at least 64. What may come on top is one message and what lies within 1 KiB behind it.
  public var receiveBufferBytes = 1 << 20

  /// The defaults.
  public init() {}
}
