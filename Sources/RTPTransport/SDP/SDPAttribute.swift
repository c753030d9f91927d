/// An `a=` line. Those that a call acts on have a case of their own; every other is kept as it is.
public enum SDPAttribute: Hashable, Sendable {
  /// Sections that belong together: `group:BUNDLE 0 1` (RFC 5888).
  case group(semantics: String, mids: [String])
  /// The section's name (RFC 5888).
  case mid(String)
  /// The section's stream and, behind a space, its track (RFC 8830).
  case mediaStream(String)
  /// Who sends (RFC 8866 §6.7).
  case direction(MediaDirection)
  /// RTCP on RTP's port (RFC 5761).
  case rtcpMux
  /// RTCP without a report in front (RFC 5506).
  case rtcpReducedSize
  /// A payload type's encoding (RFC 8866 §6.6).
  case rtpMap(RTPMap)
  /// A payload type's parameters (RFC 8866 §6.15).
  case formatParameters(payloadType: UInt8, FormatParameters)
  /// RTCP feedback that is understood, for one payload type or for all (`nil`), such as "transport-cc" (RFC 4585 §4.2).
  case rtcpFeedback(payloadType: UInt8?, String)
  /// A header extension's number (RFC 8285 §5).
  case headerExtension(HeaderExtension)
  /// A property of a source (RFC 5576).
  case source(ssrc: UInt32, attribute: String, value: String?)
  /// Milliseconds of audio wanted in a packet (RFC 8866 §6.4).
  case packetTime(Double)
  /// Milliseconds of audio that a packet may have at most (RFC 8866 §6.5).
  case maximumPacketTime(Double)
  /// The name in connectivity checks (RFC 8839 §5.4).
  case iceUsernameFragment(String)
  /// The secret in connectivity checks (RFC 8839 §5.4).
  case icePassword(String)
  /// What ICE the end knows (RFC 8839 §5.6).
  case iceOptions([String])
  /// The end only answers checks (RFC 8839 §5.3).
  case iceLite
  /// An address where the end may be reached (RFC 8839 §5.1).
  case candidate(ICECandidate)
  /// No candidates follow (RFC 8840 §8.2).
  case endOfCandidates
  /// A hash of the certificate (RFC 8122 §5).
  case fingerprint(CertificateFingerprint)
  /// Who begins DTLS (RFC 8842 §5).
  case setup(DTLSSetup)
  /// An attribute of no meaning here.
  case other(name: String, value: String?)

  /// Reads what follows `a=`; never fails, since what has not its kind's form becomes `other`.
  public init(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let value = parts.count > 1 ? String(parts[1]) : nil
    self = Self.known(name, value) ?? .other(name: name, value: value)
  }

  private static func known(_ name: String, _ value: String?) -> SDPAttribute? {
    guard let value else {
      switch name {
      case "rtcp-mux": return .rtcpMux
      case "rtcp-rsize": return .rtcpReducedSize
      case "ice-lite": return .iceLite
      case "end-of-candidates": return .endOfCandidates
      default: return MediaDirection(rawValue: name).map { .direction($0) }
      }
    }
    let words = value.split(separator: " ").map(String.init)
    guard let first = words.first else { return nil }
    switch name {
    case "group": return .group(semantics: first, mids: Array(words.dropFirst()))
    case "mid": return words.count == 1 ? .mid(first) : nil
    case "msid": return .mediaStream(value)
    case "rtpmap": return RTPMap(value).map { .rtpMap($0) }
    case "fmtp": return numbered(value).map { .formatParameters(payloadType: $0, FormatParameters($1)) }
    case "rtcp-fb": return feedback(value)
    case "extmap": return HeaderExtension(value).map { .headerExtension($0) }
    case "ssrc": return source(value)
    case "ptime": return milliseconds(first).map { .packetTime($0) }
    case "maxptime": return milliseconds(first).map { .maximumPacketTime($0) }
    case "ice-ufrag": return words.count == 1 ? .iceUsernameFragment(first) : nil
    case "ice-pwd": return words.count == 1 ? .icePassword(first) : nil
    case "ice-options": return .iceOptions(words)
    case "candidate": return ICECandidate("candidate:" + value).map { .candidate($0) }
    case "fingerprint": return CertificateFingerprint(value).map { .fingerprint($0) }
    case "setup": return DTLSSetup(rawValue: first).map { .setup($0) }
    default: return nil
    }
  }

  /// What follows `a=`.
  public var text: String {
    switch self {
    case .group(let semantics, let mids): "group:" + ([semantics] + mids).joined(separator: " ")
    case .mid(let mid): "mid:\(mid)"
    case .mediaStream(let text): "msid:\(text)"
    case .direction(let direction): direction.rawValue
    case .rtcpMux: "rtcp-mux"
    case .rtcpReducedSize: "rtcp-rsize"
    case .rtpMap(let map): "rtpmap:\(map.text)"
    case .formatParameters(let payloadType, let parameters): "fmtp:\(payloadType) \(parameters.text)"
    case .rtcpFeedback(let payloadType, let text): "rtcp-fb:\(payloadType.map { "\($0)" } ?? "*") \(text)"
    case .headerExtension(let element): "extmap:\(element.text)"
    case .source(let ssrc, let attribute, let value): "ssrc:\(ssrc) \(attribute)\(value.map { ":\($0)" } ?? "")"
    case .packetTime(let time): "ptime:\(Self.text(milliseconds: time))"
    case .maximumPacketTime(let time): "maxptime:\(Self.text(milliseconds: time))"
    case .iceUsernameFragment(let text): "ice-ufrag:\(text)"
    case .icePassword(let text): "ice-pwd:\(text)"
    case .iceOptions(let options): "ice-options:" + options.joined(separator: " ")
    case .iceLite: "ice-lite"
    case .candidate(let candidate): candidate.text
    case .endOfCandidates: "end-of-candidates"
    case .fingerprint(let print): "fingerprint:\(print.text)"
    case .setup(let setup): "setup:\(setup.rawValue)"
    case .other(let name, let value): name + (value.map { ":\($0)" } ?? "")
    }
  }

  /// "111 minptime=10;useinbandfec=1": a payload type and what follows it.
  private static func numbered(_ value: String) -> (UInt8, String)? {
    let parts = value.split(separator: " ", maxSplits: 1).map(String.init)
    guard parts.count == 2, let payloadType = UInt8(parts[0]), payloadType < 128 else { return nil }
    return (payloadType, parts[1])
  }

  private static func feedback(_ value: String) -> SDPAttribute? {
    if value.hasPrefix("* ") { return .rtcpFeedback(payloadType: nil, String(value.dropFirst(2))) }
    return numbered(value).map { .rtcpFeedback(payloadType: $0, $1) }
  }

  /// "3735928559 cname:abc"
  private static func source(_ value: String) -> SDPAttribute? {
    let parts = value.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let ssrc = UInt32(parts[0]) else { return nil }
    let pair = parts[1].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return .source(ssrc: ssrc, attribute: pair[0], value: pair.count > 1 ? pair[1] : nil)
  }

  private static func milliseconds(_ text: String) -> Double? {
    guard let value = Double(text), value > 0, value <= 10_000 else { return nil }
    return value
  }

  private static func text(milliseconds: Double) -> String {
    milliseconds == milliseconds.rounded() && milliseconds.magnitude <= 10_000
      ? "\(Int(milliseconds))" : "\(milliseconds)"
  }
}
