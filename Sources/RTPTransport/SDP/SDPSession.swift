// RFC 8866. A description is a few lines about the session, then a section for each `m=` line:
//
//     v=0
//     o=- 4611731400430051336 2 IN IP4 127.0.0.1
//     s=-
//     t=0 0
//     a=group:BUNDLE 0
//     m=audio 9 UDP/TLS/RTP/SAVPF 111
//     c=IN IP4 0.0.0.0
//     a=mid:0
//
// What is not understood is kept in its place, so a description that is read and written again has lost nothing.

/// A session description: an offer or an answer as a typed value.
public struct SDPSession: Hashable, Sendable {
  /// Who made the description, and which version of it this is: the `o=` line.
  public var origin: Origin
  /// The `s=` line; "-" when the session has no name.
  public var name: String
  /// The `c=` line that holds for all media without one of their own.
  public var connection: SDPConnection?
  /// The first `t=` line; "0 0" for a session that is not bounded in time.
  public var timing: String
  /// Lines of other types than those above, such as `b=`, in the RFC's order of types.
  public var otherLines: [SDPLine]
  /// The `a=` lines before the first `m=` line.
  public var attributes: [SDPAttribute]
  /// The `m=` lines with what belongs to them, in order: their places stay the same over a session's life.
  public var media: [SDPMedia]

  /// A description without media.
  public init(origin: Origin, attributes: [SDPAttribute] = [], media: [SDPMedia] = []) {
    self.origin = origin
    name = "-"
    timing = "0 0"
    otherLines = []
    self.attributes = attributes
    self.media = media
  }

  /// The `o=` line (RFC 8866 §5.2).
  public struct Origin: Hashable, Sendable {
    /// A user name without spaces; "-" for none.
    public var username: String
    /// The same number in all descriptions of a session from one end.
    public var sessionID: String
    /// One more with each changed description (RFC 3264 §8).
    public var version: UInt64
    /// "IP4" or "IP6".
    public var addressType: String
    /// An address or a name; browsers hide theirs behind 127.0.0.1.
    public var address: String

    /// The origin of a WebRTC endpoint (RFC 9429 §5.2.1).
    public init(
      username: String = "-", sessionID: String, version: UInt64, addressType: String = "IP4",
      address: String = "127.0.0.1"
    ) {
      self.username = username
      self.sessionID = sessionID
      self.version = version
      self.addressType = addressType
      self.address = address
    }

    /// "- 4611731400430051336 2 IN IP4 127.0.0.1"
    init?(_ text: String) {
      let words = text.split(separator: " ")
      guard words.count == 6, words[3] == "IN", let version = UInt64(words[2]) else { return nil }
      self.init(
        username: String(words[0]), sessionID: String(words[1]), version: version, addressType: String(words[4]),
        address: String(words[5]))
    }

    var text: String { "\(username) \(sessionID) \(version) IN \(addressType) \(address)" }
  }

  /// The groups of `semantics`, such as "BUNDLE" (RFC 5888, RFC 9143): each the identifiers of its media.
  public func groups(_ semantics: String) -> [[String]] {
    attributes.compactMap { attribute in
      guard case .group(semantics, let mids) = attribute else { return nil }
      return mids
    }
  }

  /// Where `media` wants its packets: its own `c=` line, or the session's.
  public func connection(of media: SDPMedia) -> SDPConnection? { media.connection ?? connection }
}

/// A `c=` line (RFC 8866 §5.7).
public struct SDPConnection: Hashable, Sendable {
  /// "IP4" or "IP6".
  public var addressType: String
  /// An address or a name, with what stands behind a slash (time to live, count) for multicast.
  public var address: String

  /// The address of an endpoint whose candidates tell where it is.
  public static var unspecified: SDPConnection { SDPConnection(addressType: "IP4", address: "0.0.0.0") }

  /// An address of the type "IP4" or "IP6".
  public init(addressType: String, address: String) {
    self.addressType = addressType
    self.address = address
  }

  /// "IN IP4 0.0.0.0"
  init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 3, words[0] == "IN" else { return nil }
    self.init(addressType: String(words[1]), address: String(words[2]))
  }

  var text: String { "IN \(addressType) \(address)" }
}
