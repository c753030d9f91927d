import Antiphon

/// Resamples interleaved audio, each channel by itself, aligned in time with the input.
struct MultichannelResampler {
  /// A class, since an array cannot hold resamplers, which are not copyable.
  private final class Channel {
    private var resampler: Resampler
    private var input: SampleBuffer
    private var output: SampleBuffer

    init(_ resampler: consuming Resampler, inputCount: Int) {
      input = SampleBuffer(repeating: 0, count: inputCount)
      output = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: inputCount) + 1)
      self.resampler = resampler
    }

    subscript(index: Int) -> Float { output[index] }

    /// Takes this channel out of `frameCount` interleaved frames; returns how many samples came out.
    func process(_ block: borrowing SampleBuffer, frameCount: Int, channel: Int, channelCount: Int) -> Int {
      for frame in 0..<frameCount { input[frame] = block[frame * channelCount + channel] }
      return Self.resample(input, frameCount, by: &resampler, into: &output)
    }

    func drain() -> Int { Self.drain(&resampler, into: &output) }

    // Static, since a span of one property would hold on to all of self.
    private static func resample(
      _ input: borrowing SampleBuffer, _ count: Int, by resampler: inout Resampler, into output: inout SampleBuffer
    ) -> Int {
      var room = output.mutableSpan
      return resampler.process(input.view(0..<count), into: &room).produced
    }

    private static func drain(_ resampler: inout Resampler, into output: inout SampleBuffer) -> Int {
      var room = output.mutableSpan
      return resampler.drain(into: &room)
    }
  }

  private let channels: [Channel]
  private var interleaved: [Float] = []

  /// - Parameter blockFrameCount: the most frames that one call gives.
  init(from format: AudioFormat, to rate: SampleRate, quality: Resampler.Quality, blockFrameCount: Int) throws {
    channels = try (0..<format.channelCount).map { _ in
      Channel(
        try Resampler(from: format.sampleRate, to: rate, quality: quality, skipsLatency: true),
        inputCount: blockFrameCount)
    }
  }

  /// Resamples `frameCount` frames; returns interleaved frames.
  mutating func process(_ block: borrowing SampleBuffer, frameCount: Int) -> [Float] {
    var produced = 0
    for (index, channel) in channels.enumerated() {
      produced = channel.process(block, frameCount: frameCount, channel: index, channelCount: channels.count)
    }
    return collect(produced)
  }

  /// What is left at the end; call until it returns nothing.
  mutating func drain() -> [Float] {
    var produced = 0
    for channel in channels { produced = channel.drain() }
    return collect(produced)
  }

  private mutating func collect(_ frameCount: Int) -> [Float] {
    interleaved.removeAll(keepingCapacity: true)
    for frame in 0..<frameCount {
      for channel in channels { interleaved.append(channel[frame]) }
    }
    return interleaved
  }
}
