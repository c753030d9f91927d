import EchoControl
import RealtimeCore
import Rivals
import SignalProcessing

/// Our resampler on a stretch of speech, 10 ms a call.
struct ResamplerLoop: ~Copyable, MeasuredLoop {
  private var resampler: Resampler
  private let speech: Speech
  private var frame: SampleBuffer
  private var output: SampleBuffer
  private var position = 0
  private var sum: UInt64 = 0

  init(_ resampler: consuming Resampler, _ speech: Speech) {
    frame = SampleBuffer(repeating: 0, count: speech.sampleRate.hertz / 100)
    output = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: frame.count))
    self.resampler = resampler
    self.speech = speech
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      position = speech.copyFrame(at: position, into: &frame)
      times[call] = Self.process(&resampler, frame, &output, &sum)
    }
  }

  private static func process(
    _ resampler: inout Resampler, _ frame: borrowing SampleBuffer, _ output: inout SampleBuffer, _ sum: inout UInt64
  ) -> Int64 {
    var room = output.mutableSpan
    let start = bench_now()
    let progress = resampler.process(frame.view, into: &room)
    let took = bench_now() - start
    sum = output.checksum(of: progress.produced, after: sum)
    return took
  }
}

/// Our noise suppressor on a stretch of speech, 10 ms a call.
struct NoiseSuppressorLoop: ~Copyable, MeasuredLoop {
  private var suppressor: NoiseSuppressor
  private let speech: Speech
  private var frame: SampleBuffer
  private var position = 0
  private var sum: UInt64 = 0

  init(_ suppressor: consuming NoiseSuppressor, _ speech: Speech) {
    frame = SampleBuffer(repeating: 0, count: suppressor.frameSampleCount)
    self.suppressor = suppressor
    self.speech = speech
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      position = speech.copyFrame(at: position, into: &frame)
      times[call] = Self.process(&suppressor, &frame)
      sum = frame.checksum(of: frame.count, after: sum)
    }
  }

  private static func process(_ suppressor: inout NoiseSuppressor, _ frame: inout SampleBuffer) -> Int64 {
    var span = frame.mutableSpan
    let start = bench_now()
    suppressor.process(&span)
    return bench_now() - start
  }
}

/// Our echo canceller on a microphone that hears a far end's echo, 10 ms a call: one frame of each end.
struct EchoLoop: ~Copyable, MeasuredLoop {
  private var canceller: EchoCanceller
  private let nearEnd: Speech
  private let farEnd: Speech
  private var played: SampleBuffer
  private var frame: SampleBuffer
  private var position = 0
  private var sum: UInt64 = 0

  init(_ canceller: consuming EchoCanceller, nearEnd: Speech, farEnd: Speech) {
    played = SampleBuffer(repeating: 0, count: canceller.frameSampleCount)
    frame = SampleBuffer(repeating: 0, count: canceller.frameSampleCount)
    self.canceller = canceller
    self.nearEnd = nearEnd
    self.farEnd = farEnd
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      position = nearEnd.copyFrame(at: position, into: &frame)
      _ = farEnd.copyFrame(at: position - frame.count, into: &played)
      times[call] = Self.process(&canceller, played, &frame)
      sum = frame.checksum(of: frame.count, after: sum)
    }
  }

  private static func process(
    _ canceller: inout EchoCanceller, _ played: borrowing SampleBuffer, _ frame: inout SampleBuffer
  ) -> Int64 {
    var span = frame.mutableSpan
    let start = bench_now()
    canceller.render(played.view)
    canceller.capture(&span)
    return bench_now() - start
  }
}

/// One of our transforms on windows of speech.
struct TransformLoop<Transform: RealFFT & ~Copyable>: ~Copyable, MeasuredLoop {
  private var transform: Transform
  private let speech: Speech
  private let goesBack: Bool
  private let callsPerReading: Int
  private var window: SampleBuffer
  private var spectrum: SampleBuffer
  private var output: SampleBuffer
  private var position = 0

  init(_ transform: consuming Transform, _ speech: Speech, goesBack: Bool, callsPerReading: Int) {
    window = SampleBuffer(repeating: 0, count: transform.length)
    spectrum = SampleBuffer(repeating: 0, count: transform.spectrumCount)
    output = SampleBuffer(repeating: 0, count: transform.length)
    self.transform = transform
    self.speech = speech
    self.goesBack = goesBack
    self.callsPerReading = callsPerReading
  }

  var checksum: UInt64? { nil }  // roundings differ from plan to plan

  mutating func run(_ times: inout CallTimes) {
    for reading in 0..<times.count {
      position = speech.copyFrame(at: position, into: &window)
      let start = bench_now()
      for _ in 0..<callsPerReading { Self.process(&transform, window, goesBack, &spectrum, &output) }
      times[reading] = bench_now() - start
    }
  }

  private static func process(
    _ transform: inout Transform, _ window: borrowing SampleBuffer, _ goesBack: Bool, _ spectrum: inout SampleBuffer,
    _ output: inout SampleBuffer
  ) {
    var bins = spectrum.mutableSpan
    transform.forward(window.view, into: &bins)
    if goesBack {
      var samples = output.mutableSpan
      transform.inverse(spectrum.view, into: &samples)
    }
  }
}
