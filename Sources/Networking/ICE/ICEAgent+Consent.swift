internal import CNice
internal import RealtimeCore

// Consent freshness (RFC 7675). libnice asks every 4 to 6 s, once, and gives up 10 s after the last answer: one lost
// datagram can be enough, where the RFC allows 30 s. So its first word makes the path "disconnected" only; the same pair
// is selected again, which lets libnice ask anew, and media goes on. At its second word consent has expired, 14 to 30 s
// after the last answer. Arriving media ends "disconnected" for show but is no consent: only a time without complaint is.

extension ICEAgent {
  /// What is known of the peer's consent.
  struct Consent {
    /// How often libnice gave up without an answer since.
    var strikeCount = 0
    /// Set while the pair is selected again, whose announcements are no news.
    var isRenewing = false
    /// When the complaints have ended, if none comes before.
    var calm: LoopTimer?

    /// libnice asks again within 4 s (NICE_AGENT_TIMER_MIN_CONSENT_INTERVAL) and waits for 10 s.
    static let calmSeconds = 15.0
    static let missSeconds = 10.0
  }

  func consentMissed() {
    consent.calm = nil
    consent.strikeCount += 1
    guard remoteCredentials != nil else {
      // A restart is under way, and the old pair has ended before its end.
      setState(.disconnected)
      return
    }
    guard consent.strikeCount == 1 else {
      fail(.consentExpired(seconds: 2 * Consent.missSeconds))
      return
    }
    statistics.disconnectionCount += 1
    setState(.disconnected)
    // Not inside libnice's signal.
    loop.perform { [weak self] in self?.renewConsent() }
  }

  private func renewConsent() {
    guard consent.strikeCount == 1, niceState == NICE_COMPONENT_STATE_FAILED, let pair = selectedPair else { return }
    consent.isRenewing = true
    let isSelected = unsafe nice_agent_set_selected_pair(
      agent, stream, Self.component, pair.local.foundation, pair.remote.foundation)
    consent.isRenewing = false
    guard isSelected != 0 else {
      // The pair's socket is gone, as that of a TURN server that has closed the connection.
      fail(.consentExpired(seconds: Consent.missSeconds))
      return
    }
    consent.calm = loop.schedule(at: Self.time(Consent.calmSeconds)) { [weak self] in self?.consentIsBack() }
  }

  private func consentIsBack() {
    consent = Consent()
    if state == .disconnected { setState(.completed) }
  }
}
