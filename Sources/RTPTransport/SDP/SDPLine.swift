/// A line of a session description that is kept as it is: its type letter and what follows the equals sign.
public struct SDPLine: Hashable, Sendable {
  /// The letter, as "b" of "b=AS:64".
  public var type: Character
  /// What follows the equals sign.
  public var value: String

  /// A line of `type` with `value`.
  public init(_ type: Character, _ value: String) {
    self.type = type
    self.value = value
  }

  /// Where lines of a type stand among others (RFC 8866 §5); unknown types stand before the attributes.
  static func rank(_ type: Character, inMedia: Bool) -> Int {
    let order: [Character] =
      inMedia ? ["m", "i", "c", "b", "k"] : ["v", "o", "s", "i", "u", "e", "p", "c", "b", "t", "r", "z", "k"]
    return order.firstIndex(of: type) ?? order.count
  }

  /// Lines in the order that the RFC demands; those of one type keep theirs.
  static func sorted(_ lines: [SDPLine], inMedia: Bool) -> [SDPLine] {
    let ranked = lines.enumerated().map { (rank: rank($1.type, inMedia: inMedia), place: $0, line: $1) }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.line)
  }
}

/// What bounds a session description: a few times what the largest real one has, so that a hostile one costs little.
enum SDPLimit {
  /// Chromium's offer of audio and video with all codecs has 7 KiB.
  static let byteCount = 65_536
  static let lineByteCount = 4_096
  static let lineCount = 2_048
  static let mediaCount = 64
}
