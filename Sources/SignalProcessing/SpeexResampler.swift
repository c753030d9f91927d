internal import CSpeexDSP
internal import RealtimeCore

/// SpeexDSP's resampler for one channel: creates, feeds and frees the C state, nothing more.
///
/// A windowed sinc with exact integer phase: output sample k looks at input position k·from/to, kept as a whole number
/// and a fraction over the reduced rate, so nothing drifts however long the stream is.
/// Calls change the C state, yet are not `mutating`: the owner may lend its own buffers to them.
/// - Threads: any one at a time.
/// - Source: SpeexDSP 1.2.1, `resample.c`.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct SpeexResampler: ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer
  /// Half the filter: how far, in input samples, an output sample lies behind the input that it stands for.
  let inputDelay: Int

  private let skipsDelay: Bool

  /// - Parameters:
  ///   - quality: SpeexDSP's 0...10.
  ///   - skipsDelay: begins with the output sample that belongs to the first input sample.
  init(from: SampleRate, to: SampleRate, quality: Int, skipsDelay: Bool) throws(SignalProcessingError) {
    var code: Int32 = 0
    let made = unsafe speex_resampler_init(1, UInt32(from.hertz), UInt32(to.hertz), Int32(quality), &code)
    guard let made = unsafe made else {
      // RESAMPLER_ERR_ALLOC_FAILED is 1 in speex_resampler.h; it is the only failure that correct arguments can meet.
      if code == 1 { throw .outOfMemory }
      throw .library(code: code)
    }
    unsafe state = made
    inputDelay = unsafe Int(speex_resampler_get_input_latency(made))
    self.skipsDelay = skipsDelay
    reset()
  }

  deinit {
    unsafe speex_resampler_destroy(state)
  }

  /// Takes samples until `input` or the room in `output` from `start` on is used up.
  @_noLocks
  func process(
    _ input: borrowing SampleView, into output: inout MutableSpan<Float>, from start: Int
  ) -> Resampler.Progress {
    var taken = UInt32(truncatingIfNeeded: input.count)
    var made = UInt32(truncatingIfNeeded: output.count &- start)
    // The only code it can return besides success reports a failed allocation at set-up, which init has excluded.
    unsafe _ = speex_resampler_process_float(state, 0, input.pointer, &taken, output.mutablePointer + start, &made)
    return Resampler.Progress(consumed: Int(taken), produced: Int(made))
  }

  /// Back to the state after `init`.
  @_noLocks
  func reset() {
    unsafe _ = speex_resampler_reset_mem(state)
    if skipsDelay { unsafe _ = speex_resampler_skip_zeros(state) }
  }
}
