/// An own session description on its way out, and the candidates that belong to it.
///
/// With trickle it goes at once, bare, and candidates follow. Without, it waits until a candidate has come from one of
/// the servers and 0.3 s have passed without another, or until there are no more: then all of them are in it.
struct CandidateGathering: Sendable {
  /// What is to be sent.
  enum Purpose: Sendable, Hashable { case invite, update, attach }

  /// A line of SDP without "a=", and its section.
  struct Candidate: Sendable, Hashable {
    let line: String
    let mid: String?
  }

  let purpose: Purpose
  /// Whether servers were asked: without any there is nothing to wait for but the end.
  let asksServers: Bool
  /// What the peer connection wrote; `nil` until it has.
  var text: String?
  /// Found so far, and not sent yet where they trickle.
  var candidates: [Candidate] = []
  /// Whether there are no more.
  var isComplete = false
  /// Whether a whole description need not wait any more.
  var isSettled = false
  /// Whether it has been sent.
  var hasLeft = false
  /// Whether the peer was told that there are no more.
  var hasToldEnd = false

  init(_ purpose: Purpose, asksServers: Bool) {
    self.purpose = purpose
    self.asksServers = asksServers
  }

  /// Whether a pause now is worth waiting for: one that a server helped with is there.
  var isUseful: Bool { !candidates.isEmpty && (!asksServers || candidates.contains { $0.isFromServer }) }

  /// Notes a candidate.
  /// - Returns: false when it is known already.
  mutating func add(_ candidate: Candidate) -> Bool {
    guard !candidates.contains(candidate) else { return false }
    candidates.append(candidate)
    return true
  }
}

extension CandidateGathering.Candidate {
  /// Seen by a STUN server, or lent by a TURN server.
  var isFromServer: Bool { line.contains(" typ srflx") || line.contains(" typ relay") }
}

/// Changes to a session description's text that leave everything else as it is.
enum DescriptionText {
  /// Without candidates, which come one by one.
  static func bare(_ text: String) -> String {
    var lines = split(text).filter { !isCandidate($0) }
    if !lines.contains(where: { $0.hasPrefix("a=ice-options:") }) {
      lines.insert("a=ice-options:trickle", at: lines.firstIndex { $0.hasPrefix("m=") } ?? lines.count)
    }
    return join(lines)
  }

  /// With all candidates in its section of audio, and no word of others to come.
  static func whole(_ text: String, with candidates: [CandidateGathering.Candidate]) -> String {
    var lines = split(text).filter { $0 != "a=ice-options:trickle" }
    let missing = candidates.map { "a=" + $0.line }.filter { !lines.contains($0) }
    let start = lines.firstIndex { $0.hasPrefix("m=audio") && !$0.hasPrefix("m=audio 0 ") } ?? lines.count
    var end = start < lines.count ? start + 1 : start
    while end < lines.count, !lines[end].hasPrefix("m=") { end += 1 }
    let hasEnd = lines[min(start, end)..<end].contains("a=end-of-candidates")
    lines.insert(contentsOf: missing + (hasEnd ? [] : ["a=end-of-candidates"]), at: end)
    return join(lines)
  }

  /// The values of an attribute, in any section: "ice-ufrag", "fingerprint".
  static func values(of attribute: String, in text: String) -> [String] {
    let prefix = "a=\(attribute):"
    return split(text).filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
  }

  private static func isCandidate(_ line: String) -> Bool {
    line.hasPrefix("a=candidate:") || line == "a=end-of-candidates"
  }

  private static func split(_ text: String) -> [String] {
    text.split(whereSeparator: \.isNewline).map { String($0) }
  }

  private static func join(_ lines: [String]) -> String { lines.map { $0 + "\r\n" }.joined() }
}
