internal import CSpanDSP
import RealtimeCore

/// Turns PCM at 16 kHz into G.722 at 64 kbit/s, with SpanDSP; see `G722Decoder`.
///
/// - Threads: one at a time; after `init` nothing allocates or waits.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct G722Encoder: ~Copyable, @unchecked Sendable {
  /// Samples by which decoded audio lags behind the input: the two 24-tap band filters (G.722 §1.2; measured 22).
  static let delay = 22

  private let state: OpaquePointer
  /// What SpanDSP reads: 10 ms at once.
  private var pcm = FixedBuffer<Int16>(repeating: 0, count: 160)

  /// - Throws: `outOfMemory`.
  init() throws(CodecError) {
    // Allocation is the only thing that can fail for 64 kbit/s.
    guard let made = unsafe g722_encode_init(nil, 64_000, 0) else { throw .outOfMemory }
    unsafe state = made
  }

  deinit { unsafe _ = g722_encode_free(state) }

  /// Codes an even number of samples into half as many bytes; `payload` has the room. Returns the bytes written.
  @_noLocks
  mutating func encode(_ frame: borrowing SampleView, into payload: inout MutableSpan<UInt8>) -> Int {
    let room = payload.count
    let count = Swift.min(frame.count / 2, room) &* 2
    var taken = 0
    while taken < count {
      let part = Swift.min(count &- taken, pcm.count)
      for i in 0..<part { pcm[i] = Int16(truncatingIfNeeded: linear16(frame[taken &+ i])) }
      var bytes = payload.part(taken / 2..<(taken &+ part) / 2)
      unsafe _ = g722_encode(state, bytes.mutablePointer, pcm.mutablePointer, Int32(truncatingIfNeeded: part))
      taken &+= part
    }
    return count / 2
  }

  /// Forgets the signal so far.
  @_noLocks
  mutating func reset() { unsafe antiphon_g722_encoder_reset(state) }
}
