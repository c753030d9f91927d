public import Networking

/// How Telnyx' servers are reached, and for which assistant.
public struct TelnyxConfiguration: Sendable {
  /// Where the servers stand; `automatic` lets the provider choose.
  public enum Region: String, Sendable, Hashable, CaseIterable {
    /// The nearest, by the provider's choice.
    case automatic = ""
    /// Europe.
    case europe = "eu"
    /// The middle of the United States.
    case unitedStatesCentral = "us-central"
    /// Their east.
    case unitedStatesEast = "us-east"
    /// Their west.
    case unitedStatesWest = "us-west"
    /// Canada.
    case canadaCentral = "ca-central"
    /// Asia and the Pacific.
    case asiaPacific = "apac"
  }

  /// The assistant, from the provider's portal.
  public var assistantID: String
  /// One version of it; `nil`: the current one.
  public var assistantVersionID: String?
  /// Variables of the assistant, by name.
  public var userVariables: [String: String] = [:]
  /// The host without a region. TLS is required unless it is this machine, or the environment allows otherwise.
  public var url = "wss://rtc.telnyx.com"
  /// Which servers to prefer; when they cannot be reached, the host without a region is asked.
  public var region = Region.automatic
  /// Whether candidates follow the offer one by one, or are all in it: 0.3 s after the last one found.
  public var usesTrickleICE = false
  /// Servers that help to find a path.
  public var iceServers = TelnyxConfiguration.publicICEServers
  /// How this client names itself.
  public var clientName = "Antiphon"
  /// Its version.
  public var clientVersion = "1.0.0"

  /// The provider's servers, for this assistant.
  public init(assistantID: String) { self.assistantID = assistantID }

  /// The servers that the provider's own clients ask; name and password are public.
  public static var publicICEServers: [ICEServer] {
    let (name, password) = ("testuser", "testpassword")
    return [
      .stun("stun.telnyx.com"), .stun("stun.l.google.com", port: 19_302),
      .turn("turn.telnyx.com", username: name, password: password),
      .turn("turn.telnyx.com", transport: .tcp, username: name, password: password),
      .turn("turn.telnyx.com", port: 443, transport: .tls, username: name, password: password),
    ]
  }

  /// The address to connect to.
  /// - Parameter session: the server's own session id, which leads to the same machine again.
  func address(inRegion: Bool, session: String?) -> String {
    var address = url
    if inRegion, region != .automatic, let start = url.range(of: "://") {
      address.insert(contentsOf: region.rawValue + ".", at: start.upperBound)
    }
    guard let session else { return address }
    return address + "?voice_sdk_id=" + QueryValue.encoded(session)
  }
}
