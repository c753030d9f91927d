internal import RealtimeCore

/// When the next packet may go to the platform, whose queue has an end and drops what comes beyond.
///
/// The platform plays one packet each 20 ms while it has any, so what waits there can be told from here. Half of its
/// room is filled as fast as the sound is there; then the pace is 19 ms, as the vendor advises; near the end of the room
/// it is that of playout.
struct VoiceSocketPacing: Sendable {
  /// Packets that the platform keeps: 1,024 by its older documents, 3,072 by the newer.
  let platformPackets: Int
  /// When all that was sent will have been played.
  private var emptyAt = MediaInstant.zero
  private var lastSent: MediaInstant?

  private static let playout: Int64 = 20_000_000
  private static let pace: Int64 = 19_000_000
  /// What is left free: clocks differ, and packets travel.
  private static let margin = 24

  init(platformPackets: Int) { self.platformPackets = platformPackets }

  /// What waits at the platform, in nanoseconds of sound.
  func waiting(at now: MediaInstant) -> Int64 { max(0, emptyAt.nanoseconds(since: now)) }

  /// When the next packet may go; not later than `now`: at once.
  func due(at now: MediaInstant) -> MediaInstant {
    let waiting = waiting(at: now)
    let limit = Int64(max(1, platformPackets - Self.margin)) * Self.playout
    if waiting >= limit { return now.advanced(byNanoseconds: waiting - limit + Self.playout) }
    guard waiting >= limit / 2, let lastSent else { return now }
    return lastSent.advanced(byNanoseconds: Self.pace)
  }

  /// A packet has gone.
  mutating func sent(at now: MediaInstant) {
    emptyAt = max(emptyAt, now).advanced(byNanoseconds: Self.playout)
    // Paces count from when a packet was due, so that a late timer bends none but its own.
    if let last = lastSent?.advanced(byNanoseconds: Self.pace), now.nanoseconds(since: last) < Self.pace, last < now {
      lastSent = last
    } else {
      lastSent = now
    }
  }

  /// What waited at the platform is dropped.
  mutating func cleared() { emptyAt = .zero }
}
