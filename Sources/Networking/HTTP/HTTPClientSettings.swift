extension HTTPClient {
  /// How long, how much, and whom to trust.
  public struct Settings: Sendable {
    /// Until there is a connection, TLS included; seconds.
    public var connectTimeout = 10.0
    /// While nothing moves; seconds. `nil` waits as long as the server likes.
    public var idleTimeout: Double? = 30
    /// For the whole request with its body; seconds. Does not hold for `stream`, which may go on for ever.
    public var totalTimeout: Double? = 60
    /// The largest body that is accepted, decompressed; bytes. Does not hold for `stream`, which is read piece by piece.
    public var maximumBodyBytes = 16 << 20
    /// How many redirects are followed, 0 to 20. From https to http none is.
    public var maximumRedirects = 5
    /// Whose certificates are accepted.
    public var trust = TLSTrust.system
    /// The User-Agent field.
    public var userAgent = "Antiphon"

    /// The defaults.
    public init() {}
  }
}
