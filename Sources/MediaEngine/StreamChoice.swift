internal import RTPTransport
internal import RealtimeCore

/// Which of the streams that arrive is the far end's.
///
/// An announced SSRC is the only one. Else the first is followed, until another has sent two packets since it was last
/// heard: a sender that starts anew is followed after one packet. A stream that was left is taken up again only when
/// the present one has been silent for a second, so two senders at once never take turns.
struct StreamChoice: BitwiseCopyable {
  enum Choice: BitwiseCopyable { case first, same, changed, other }

  private let announced: UInt32?
  private(set) var current: UInt32?
  private var candidate: UInt32?
  private var left: UInt32?
  private var lastHeard = MediaInstant.zero

  init(announced: UInt32?) { self.announced = announced }

  /// Decides about a packet that came at `now`.
  @_noLocks
  mutating func choose(_ header: RTPHeader, at now: MediaInstant) -> Choice {
    let ssrc = header.ssrc
    if let announced, ssrc != announced { return .other }
    guard let current else {
      self.current = ssrc
      lastHeard = now
      return .first
    }
    if ssrc == current {
      candidate = nil
      lastHeard = now
      return .same
    }
    if let left, ssrc == left, now.nanoseconds(since: lastHeard) < 1_000_000_000 { return .other }
    if let candidate, candidate == ssrc {
      left = current
      self.current = ssrc
      self.candidate = nil
      lastHeard = now
      return .changed
    }
    candidate = ssrc
    return .other
  }
}
