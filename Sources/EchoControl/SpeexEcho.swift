internal import CSpeexDSP
internal import RealtimeCore
internal import SignalProcessing

/// SpeexDSP's adaptive filter for one microphone and one loudspeaker, with the suppressor of its residue.
///
/// - Threads: any one at a time. Calls change the C state, yet are not `mutating`: the owner may lend its own buffers.
/// - Source: SpeexDSP 1.2.1, `mdf.c`: a multidelay block frequency filter (Soo and Pang 1990) with the learning rate of
///   Valin 2007 and two paths against double talk.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct SpeexEcho: ~Copyable, @unchecked Sendable {
  private let state: OpaquePointer
  // Holds `state` too, but only reads it in `run`, which ends with this value's life.
  private let suppressor: SpeexPreprocessor

  init(sampleRate: SampleRate, frameSampleCount: Int, settings: EchoSettings) throws(EchoError) {
    let suppressor: SpeexPreprocessor
    do { suppressor = try SpeexPreprocessor(sampleRate: sampleRate) } catch { throw EchoError(error, at: sampleRate) }
    let tail = sampleRate.sampleCount(milliseconds: settings.tailMilliseconds)
    let made = unsafe speex_echo_state_init(Int32(frameSampleCount), Int32(tail))
    guard let made = unsafe made else { throw .outOfMemory }
    unsafe _ = antiphon_echo_set_sample_rate(made, Int32(sampleRate.hertz))
    suppressor.setNoiseAttenuation(settings.noiseAttenuation)
    suppressor.setEchoAttenuation(
      settings.residualAttenuation, whileNearEndSpeaks: settings.residualAttenuationInDoubleTalk)
    unsafe suppressor.followEcho(of: made)
    unsafe state = made
    self.suppressor = suppressor
  }

  deinit {
    unsafe speex_echo_state_destroy(state)
  }

  /// Subtracts the modelled echo of `farEnd` from `nearEnd`; one frame each.
  @_noLocks
  func cancel(nearEnd: borrowing Int16Samples, farEnd: borrowing Int16Samples, into residue: borrowing Int16Samples) {
    unsafe speex_echo_cancellation(state, nearEnd.pointer, farEnd.pointer, residue.pointer)
  }

  /// Turns down what echo is left, in place; the output lies one frame behind.
  @_noLocks
  func suppress(_ residue: borrowing Int16Samples) { suppressor.run(residue) }

  /// Forgets the echo path.
  @_noLocks
  func reset() { unsafe speex_echo_state_reset(state) }
}

extension EchoError {
  /// The one place where a suppressor's set-up error becomes ours.
  fileprivate init(_ error: SignalProcessingError, at sampleRate: SampleRate) {
    self =
      switch error {
      case .unsupportedSampleRate(let rate, let lowest, let highest):
        .unsupportedSampleRate(rate, lowest: lowest, highest: highest)
      case .unsupportedFrameLength: .unsupportedFrameLength(sampleRate)
      default: .outOfMemory
      }
  }
}
