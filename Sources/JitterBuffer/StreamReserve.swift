import RealtimeCore

/// How long after an answer's first sample playout must begin so that it never waits for the producer.
///
/// Playout that begins d after the first append would have come to the end of what was there, M, at d + M; so a chunk
/// that comes t after the first needs d >= t - M. The greatest such d is what this answer needs; a producer that keeps
/// faster than real time needs none, one with gaps needs what its head start does not cover. Of earlier answers four
/// fifths are remembered from one to the next: after one slow answer in ten the reserve is nearly what it was.
struct StreamReserve: Sendable, BitwiseCopyable {
  /// What this answer has needed so far, in nanoseconds.
  private(set) var need: Int64 = 0
  private var remembered: Int64 = 0
  private var firstAppend = MediaInstant(nanoseconds: 0)
  private var hasBegun = false
  private let minimum: Int64
  private let maximum: Int64

  /// Beyond the need, for what has not been seen yet: 20 ms, a usual chunk.
  private static var margin: Int64 { @_noLocks get { 20_000_000 } }

  init(_ settings: StreamPlayoutSettings) {
    minimum = Int64(settings.minimumReserveMilliseconds) * 1_000_000
    maximum = Int64(settings.maximumReserveMilliseconds) * 1_000_000
  }

  /// Nanoseconds that playout is to stay behind the producer's first sample.
  var target: Int64 {
    @_noLocks get {
      let wanted = max(need, remembered)
      return min(maximum, max(minimum, wanted > 0 ? wanted &+ Self.margin : 0))
    }
  }

  /// Takes an append to the running answer.
  /// - Parameter media: nanoseconds of the answer that came before it.
  @_noLocks
  mutating func note(media: Int64, at now: MediaInstant) {
    guard hasBegun else {
      hasBegun = true
      firstAppend = now
      return
    }
    need = max(need, now.nanoseconds(since: firstAppend) &- media)
  }

  /// How far playout of `media` nanoseconds into the answer lies behind its first sample.
  @_noLocks
  func delay(media: Int64, at now: MediaInstant) -> Int64 {
    hasBegun ? now.nanoseconds(since: firstAppend) &- media : 0
  }

  /// Another answer begins.
  @_noLocks
  mutating func beginItem() {
    remembered = max(need, remembered / 5 &* 4)
    need = 0
    hasBegun = false
  }
}
