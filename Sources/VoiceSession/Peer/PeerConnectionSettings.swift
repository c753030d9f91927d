public import MediaEngine
public import Networking
public import RTPTransport

/// What a peer connection is made for.
public struct PeerConnectionSettings: Sendable {
  /// Servers, addresses, keys: how the peer is reached.
  public var transport = PeerTransportSettings()
  /// Rates, processing and jitter buffer. What is negotiated takes the place of codecs, keys and identity.
  public var engine = MediaEngineSettings.voiceAgent
  /// Formats in order of preference.
  public var codecs = SDPCodec.voice
  /// Microseconds of sound in a packet, unless the peer wants another: 10,000, 20,000, 40,000 or 60,000.
  public var packetDuration = 20_000
  /// How many earlier frames each packet repeats where RED was agreed on (RFC 2198), 0...8.
  public var redundancyLevels = 0
  /// Within what bits per second Opus follows the peer's reports; `nil`: it stays at the engine's setting.
  public var bitrateRange: ClosedRange<Int>? = 16_000...64_000
  /// Whether offers and answers go out at once, with candidates as events behind them (trickle, RFC 8838); else they wait
  /// until all candidates are in them.
  public var trickles = true

  /// RED in front asks the peer for redundant packets too.
  var orderedCodecs: [SDPCodec] {
    guard redundancyLevels > 0 else { return codecs }
    func isRedundant(_ codec: SDPCodec) -> Bool { codec.map.encoding.lowercased() == "red" }
    return codecs.filter(isRedundant) + codecs.filter { !isRedundant($0) }
  }

  /// A voice call with the usual codecs.
  public init() {}
}

/// Why a peer connection cannot do what it was told, or has failed.
public enum PeerConnectionError: Error, Sendable, CustomStringConvertible {
  /// The session description does not do.
  case description(SDPError)
  /// No path, or no secured connection.
  case transport(PeerTransportError)
  /// The engine cannot be made.
  case engine(MediaEngineError)
  /// The sound devices do not start.
  case sound(String)
  /// A codec was agreed on that this end does not have: the settings' list names it.
  case unsupportedCodec(String)
  /// A line that is no candidate.
  case malformedCandidate(String)
  /// The connection is closed.
  case closed

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .description(let error): "\(error)"
    case .transport(let error): "\(error)"
    case .engine(let error): "\(error)"
    case .sound(let reason): reason
    case .unsupportedCodec(let name):
      "\(name) was agreed on, which cannot be coded here; offer opus, PCMU, PCMA, G722 or L16 only"
    case .malformedCandidate(let line):
      "\"\(line.prefix(120))\" is no ICE candidate; pass on the peer's a=candidate lines as they are"
    case .closed: "the connection is closed; make a new one"
    }
  }
}
