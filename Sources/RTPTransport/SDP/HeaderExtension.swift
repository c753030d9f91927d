/// A header extension's number, an `a=extmap` line: "1 urn:ietf:params:rtp-hdrext:ssrc-audio-level" (RFC 8285 §5).
public struct HeaderExtension: Hashable, Sendable {
  /// 1 to 14 fit an element of one byte's head, up to 255 one of two; above 4,095 an offer leaves the number open.
  public var id: Int
  /// Who sends it, where that is told.
  public var direction: MediaDirection?
  /// Which extension it is.
  public var uri: String
  /// What follows the URI.
  public var parameters: String?

  /// The audio's level in dB below overload (RFC 6464).
  public static let audioLevel = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
  /// The section's name (RFC 9143 §15.1).
  public static let mid = "urn:ietf:params:rtp-hdrext:sdes:mid"
  /// The number that congestion feedback reports on (draft-holmer-rmcat-transport-wide-cc-extensions-01 §2).
  public static let transportSequence = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"

  /// An extension under a number.
  public init(id: Int, uri: String, direction: MediaDirection? = nil, parameters: String? = nil) {
    self.id = id
    self.uri = uri
    self.direction = direction
    self.parameters = parameters
  }

  init?(_ value: String) {
    let parts = value.split(separator: " ", maxSplits: 2).map(String.init)
    guard parts.count >= 2 else { return nil }
    let number = parts[0].split(separator: "/", maxSplits: 1).map(String.init)
    guard let id = number.first.flatMap({ Int($0) }), (1...0xFFFF).contains(id) else { return nil }
    var direction: MediaDirection?
    if number.count == 2 {
      guard let known = MediaDirection(rawValue: number[1]) else { return nil }
      direction = known
    }
    self.init(id: id, uri: parts[1], direction: direction, parameters: parts.count > 2 ? parts[2] : nil)
  }

  var text: String {
    "\(id)\(direction.map { "/\($0.rawValue)" } ?? "") \(uri)\(parameters.map { " \($0)" } ?? "")"
  }
}
