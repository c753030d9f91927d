internal import CSpeexDSP
package import RealtimeCore

/// SpeexDSP's preprocessor for one channel: noise suppression, and suppression of what an echo canceller left over.
///
/// Its own gain control and voice detector stay off: `AutomaticGain` and `VoiceActivity` do that. The output lies one
/// frame behind the input (windows of two frames, half overlapping).
/// - Threads: any one at a time. Calls change the C state, yet are not `mutating`: the owner may lend its own buffers.
/// - Source: SpeexDSP 1.2.1, `preprocess.c`: Ephraim and Malah 1985 with the noise tracking of Cohen and Berdugo 2001.
@safe  // `state` is created in init, used only here, destroyed once in deinit
package struct SpeexPreprocessor: ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer
  package let frameSampleCount: Int

  package init(sampleRate: SampleRate) throws(SignalProcessingError) {
    let count = try TenMillisecondFrame.sampleCount(at: sampleRate)
    let made = unsafe speex_preprocess_state_init(Int32(count), Int32(sampleRate.hertz))
    guard let made = unsafe made else { throw .outOfMemory }
    frameSampleCount = count
    unsafe state = made
    // Gain control, voice detection and dereverberation are off from the start; asking for that prints a warning.
    // The gains of the echo suppression are only applied when this is on; 0 dB of noise suppression leaves noise alone.
    unsafe _ = antiphon_preprocess_set(made, SPEEX_PREPROCESS_SET_DENOISE, 1)
  }

  deinit {
    unsafe speex_preprocess_state_destroy(state)
  }

  /// The most by which noise is turned down, in dB, 0 or more.
  @_noLocks
  package func setNoiseAttenuation(_ decibels: Int) {
    unsafe _ = antiphon_preprocess_set(state, SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, Int32(truncatingIfNeeded: -decibels))
  }

  /// The most by which residual echo is turned down, in dB, 0 or more: while the near end is silent, and while it speaks.
  @_noLocks
  package func setEchoAttenuation(_ decibels: Int, whileNearEndSpeaks speaking: Int) {
    unsafe _ = antiphon_preprocess_set(state, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, Int32(truncatingIfNeeded: -decibels))
    unsafe _ = antiphon_preprocess_set(
      state, SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, Int32(truncatingIfNeeded: -speaking))
  }

  /// Takes the residual echo's spectrum from this canceller, a `SpeexEchoState`, which must outlive the last `run`.
  @unsafe
  package func followEcho(of echoState: OpaquePointer) {
    unsafe _ = antiphon_preprocess_set_echo_state(state, echoState)
  }

  /// Filters one frame in place.
  @_noLocks
  package func run(_ frame: borrowing Int16Samples) {
    unsafe _ = speex_preprocess_run(state, frame.pointer)
  }
}
