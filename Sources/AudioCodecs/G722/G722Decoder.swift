internal import CSpanDSP
import RealtimeCore

/// Turns G.722 at 64 kbit/s into PCM at 16 kHz, with SpanDSP. Any byte is a valid code.
///
/// - Threads: one at a time; after `init` nothing allocates or waits.
/// - Source: ITU-T Recommendation G.722 (1988); payload as in RFC 3551 §4.5.2, the first octet's sample pair first.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct G722Decoder: ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer
  /// What SpanDSP writes before it becomes float: 10 ms at once.
  private var pcm = FixedBuffer<Int16>(repeating: 0, count: 160)

  /// - Throws: `outOfMemory`.
  init() throws(CodecError) {
    // Allocation is the only thing that can fail for 64 kbit/s.
    guard let made = unsafe g722_decode_init(nil, 64_000, 0) else { throw .outOfMemory }
    unsafe state = made
  }

  deinit { unsafe _ = g722_decode_free(state) }

  /// Decodes `payload`; `frame` needs two places for each byte. Returns the samples written.
  @_noLocks
  mutating func decode(_ payload: borrowing ByteView, into frame: inout MutableSpan<Float>) -> Int {
    let room = frame.count
    let count = Swift.min(payload.count, room / 2)
    var taken = 0
    while taken < count {
      let part = Swift.min(count &- taken, pcm.count / 2)
      let bytes = payload.extracting(taken..<taken &+ part)
      let made = unsafe Int(
        g722_decode(state, pcm.mutablePointer, bytes.pointer, Int32(truncatingIfNeeded: part)))
      for i in 0..<made { frame[2 &* taken &+ i] = floatSample(Int(pcm[i])) }
      taken &+= part
    }
    return 2 &* count
  }

  /// Forgets the signal so far.
  @_noLocks
  mutating func reset() { unsafe antiphon_g722_decoder_reset(state) }
}
