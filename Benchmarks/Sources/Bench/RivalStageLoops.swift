import RealtimeCore
import Rivals

/// SpeexDSP's resampler from C.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalResamplerLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let speech: Speech

  init(_ speech: Speech, to rate: SampleRate, speexQuality: Int) {
    let from = speech.sampleRate.hertz
    unsafe state = rival_resampler_create(Int32(from), Int32(rate.hertz), Int32(speexQuality), Int32(from / 100))
    self.speech = speech
  }

  deinit { unsafe rival_resampler_destroy(state) }

  var checksum: UInt64? { unsafe rival_resampler_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_resampler_run(state, speech.samples, speech.count, times.mutablePointer, times.count)
  }
}

/// SpeexDSP's preprocessor from C.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalPreprocessorLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let speech: Speech

  init(_ speech: Speech, noiseAttenuation: Int) {
    unsafe state = rival_preprocessor_create(Int32(speech.sampleRate.hertz), Int32(noiseAttenuation))
    self.speech = speech
  }

  deinit { unsafe rival_preprocessor_destroy(state) }

  var checksum: UInt64? { unsafe rival_preprocessor_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_preprocessor_run(state, speech.samples, speech.count, times.mutablePointer, times.count)
  }
}

/// SpeexDSP's echo canceller and the suppressor of its residue, from C.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalEchoLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let nearEnd: Speech
  private let farEnd: Speech

  init(nearEnd: Speech, farEnd: Speech, tailMilliseconds: Int) {
    unsafe state = rival_echo_create(Int32(nearEnd.sampleRate.hertz), Int32(tailMilliseconds))
    self.nearEnd = nearEnd
    self.farEnd = farEnd
  }

  deinit { unsafe rival_echo_destroy(state) }

  var checksum: UInt64? { unsafe rival_echo_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_echo_run(
      state, nearEnd.samples, farEnd.samples, nearEnd.count, times.mutablePointer,
      times.count)
  }
}

/// FFTW from C.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalTransformLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let speech: Speech
  private let goesBack: Bool
  private let callsPerReading: Int

  init(length: Int, _ speech: Speech, goesBack: Bool, callsPerReading: Int) {
    unsafe state = rival_fftw_create(Int32(length))
    self.speech = speech
    self.goesBack = goesBack
    self.callsPerReading = callsPerReading
  }

  deinit { unsafe rival_fftw_destroy(state) }

  var checksum: UInt64? { nil }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_fftw_run(
      state, goesBack ? 1 : 0, speech.samples, speech.count, Int32(callsPerReading),
      times.mutablePointer, times.count)
  }
}
