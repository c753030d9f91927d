/// How an end looks for a path to its peer.
public struct ICESettings: Sendable {
  /// Which candidates may be used, as in W3C's RTCIceTransportPolicy.
  public enum TransportPolicy: Sendable {
    case all
    /// Only TURN servers' addresses: the peer learns nothing of this end's own.
    case relay
  }

  /// When the controlling end settles for a pair.
  public enum Nomination: Sendable {
    /// When it has found a good one (RFC 8445 §8.1.1).
    case regular
    /// With each check; the best that succeeds wins. For peers that know RFC 5245 only and are slow otherwise.
    case aggressive
  }

  /// Which host names in a peer's candidates are looked up. Whoever may name a host may have this machine ask for it.
  public enum NameResolution: Sendable {
    /// None: such candidates are counted and dropped.
    case none
    /// Those that end in ".local", as browsers hide their addresses behind (RFC 6762); the system must know mDNS.
    case multicastOnly
    /// All.
    case all
  }

  /// STUN and TURN servers: the first STUN server and up to eight TURN servers are asked.
  public var servers: [ICEServer] = []
  /// Which candidates may be used.
  public var policy = TransportPolicy.all
  /// When the controlling end settles for a pair.
  public var nomination = Nomination.regular
  /// Whether 127.0.0.1 and ::1 are candidates, here and at the peer: for two ends on one machine.
  public var allowsLoopback = false
  /// Whether IPv6 addresses that hold on one link only (fe80::) are candidates. Off, as in browsers: they double the
  /// checks and seldom win.
  public var allowsLinkLocal = false
  /// Own addresses to use; `nil` for those of all interfaces that are up.
  public var localAddresses: [String]?
  /// Ports that own addresses may use; `nil` for any free one.
  public var portRange: ClosedRange<UInt16>?
  /// Which host names in a peer's candidates are looked up.
  public var nameResolution = NameResolution.multicastOnly
  /// A PEM file with the authorities that may vouch for a TURN server's TLS certificate; `nil` for the system's.
  public var relayAuthorities: String?
  /// The mark of outgoing packets (RFC 8837): 46, expedited forwarding, is that of interactive audio.
  public var differentiatedServicesCodePoint = 46
  /// Seconds without a path, from the peer's credentials or a restart on, until the search is given up.
  public var connectionTimeout = 30.0
  /// Seconds until a server's silence ends gathering at the latest.
  public var gatheringTimeout = 10.0

  /// As a call over the internet needs it, without servers.
  public init() {}
}
