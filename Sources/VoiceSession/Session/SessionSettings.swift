internal import Foundation

/// What holds for a session of any system.
package struct SessionSettings: Sendable {
  /// Whether addresses beyond this machine may be reached without TLS.
  package var allowsUnencrypted = false
  /// Whether the agent is silenced at once when the user begins to speak, and goes on if that was a false alarm: its
  /// server takes several hundred milliseconds longer to tell.
  package var holdsAgentOnSpeech = true
  /// How long the server may take to confirm, in seconds from the beginning of speech.
  package var holdSeconds = 1.5
  /// The same, from the end of speech: a cough is over long before.
  package var holdSecondsAfterSpeech = 0.6
  /// The wall's clock at the zero of the session's.
  package var secondsSince1970AtZero = 0.0

  package init() {}
}

/// As much of an address as a session looks at and may show.
struct SessionAddress {
  /// Without query, user and password: those may be secrets.
  let shown: String
  /// Encrypted, or of this machine.
  let isSafe: Bool

  init(_ url: String) {
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased() else {
      shown = "the address"
      isSafe = false
      return
    }
    var plain = parts
    plain.query = nil
    plain.user = nil
    plain.password = nil
    plain.fragment = nil
    shown = plain.string ?? "the address"
    let host = (parts.host ?? "").lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    let isLocal = host == "localhost" || host == "::1" || Self.isLoopbackIPv4(host)
    isSafe = scheme == "https" || scheme == "wss" || isLocal
  }

  private static func isLoopbackIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && !parts.contains(nil) && parts[0] == 127
  }
}
