internal import CNice
internal import RealtimeCore

// Consent freshness (RFC 7675). libnice 0.1.21 asks every 4 to 6 s, once, and gives up 10 s after the last answer, where
// the RFC allows 30 s: one lost datagram can be enough, and at 10 % loss calls ended within a minute. So at its word the
// same pair is selected again, which lets libnice ask anew, and media goes on. Consent has expired
//
// - at the second word in a row, 20 to 26 s after the last answer, when the peer's own datagrams have ended too;
// - at the fifth in a row while they still come: then the answers may just be lost. Longer than the RFC allows; but
//   someone who does not want our packets would hardly send us theirs.

extension ICEAgent {
  /// What is known of the peer's consent.
  struct Consent {
    /// How often in a row libnice gave up.
    var missCount = 0
    /// About when the peer last answered.
    var lastAnswer = MediaInstant.zero
    /// Set while the pair is selected again, whose announcements are no news.
    var isRenewing = false
    /// When the misses have ended, if none comes before.
    var calm: LoopTimer?

    static let (silentLimit, liveLimit) = (2, 5)
    /// How long libnice waits for an answer (NICE_AGENT_TIMER_CONSENT_TIMEOUT).
    static let waitMilliseconds = 10_000.0
    /// And it asks again within 4 s (NICE_AGENT_TIMER_MIN_CONSENT_INTERVAL).
    static let calmSeconds = 15.0
    /// No datagram for so long is a silence: media comes 50 times a second, RTCP alone every 5 s.
    static let silenceMilliseconds = 2_000.0
  }

  func consentMissed() {
    guard remoteCredentials != nil else {
      // A restart is under way, and the old pair has ended before its end.
      setState(.disconnected)
      return
    }
    let now = EventLoop.now
    statistics.missedConsentCount += 1
    consent.calm = nil
    consent.missCount += 1
    if consent.missCount == 1 { consent.lastAnswer = now.advanced(byMilliseconds: -Consent.waitMilliseconds) }
    let silence = lastArrival.map { now.milliseconds(since: $0) } ?? .infinity
    let limit = silence > Consent.waitMilliseconds ? Consent.silentLimit : Consent.liveLimit
    guard consent.missCount < limit else {
      fail(.consentExpired(seconds: (now.milliseconds(since: consent.lastAnswer) / 1_000).rounded()))
      return
    }
    if silence > Consent.silenceMilliseconds { setState(.disconnected) }
    // Not inside libnice's signal.
    loop.perform { [weak self] in self?.renewConsent() }
  }

  private func renewConsent() {
    guard consent.missCount > 0, niceState == NICE_COMPONENT_STATE_FAILED, remoteCredentials != nil,
      let pair = selectedPair
    else { return }
    consent.isRenewing = true
    let isSelected = unsafe nice_agent_set_selected_pair(
      agent, stream, Self.component, pair.local.foundation, pair.remote.foundation)
    consent.isRenewing = false
    guard isSelected != 0 else {
      // The pair's socket is gone, as that of a TURN server that has closed the connection.
      fail(.pathClosed)
      return
    }
    consent.calm = loop.schedule(at: Self.time(Consent.calmSeconds)) { [weak self] in self?.consentIsBack() }
  }

  private func consentIsBack() {
    consent = Consent()
    if state == .disconnected { setState(.completed) }
  }
}
