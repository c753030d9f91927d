internal import RTPTransport

/// Candidates that follow a description by PATCH (RFC 9725 §4.4, RFC 8840 §9): lines of SDP that stand for themselves.
struct TrickleFragment {
  /// The type of such a body.
  static let mediaType = "application/trickle-ice-sdpfrag"

  /// The name in checks of the end that has the candidates.
  private(set) var usernameFragment: String?
  /// `a=candidate` lines without "a=".
  private(set) var candidates: [String] = []
  /// Whether those are all.
  private(set) var isEnd = false

  /// Reads what it knows of the first 64 KiB; other lines are passed over, as the RFC wants.
  init(_ text: String) {
    for line in text.prefix(65_536).split(whereSeparator: \.isNewline) {
      if line.hasPrefix("a=ice-ufrag:") { usernameFragment = String(line.dropFirst(12)) }
      if line.hasPrefix("a=candidate:"), candidates.count < 64 { candidates.append(String(line.dropFirst(2))) }
      if line == "a=end-of-candidates" { isEnd = true }
    }
  }
}
