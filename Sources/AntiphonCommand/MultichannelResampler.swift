import Antiphon

/// Resamples interleaved audio, each channel by itself, aligned in time with the input.
struct MultichannelResampler: ~Copyable {
  private let channels: [ChannelResampler]
  private var input: SampleBuffer
  private var output: SampleBuffer

  /// - Parameter blockFrameCount: the most frames that one call gives.
  init(
    from format: AudioFormat, to rate: SampleRate, quality: Resampler.Quality,
    engine: Resampler.Engine = .polyphase, blockFrameCount: Int
  ) throws {
    let channels = try (0..<format.channelCount).map { _ in
      ChannelResampler(
        try Resampler(
          from: format.sampleRate, to: rate, quality: quality, skipsLatency: true, engine: engine),
        blockSampleCount: blockFrameCount)
    }
    input = SampleBuffer(repeating: 0, count: blockFrameCount)
    output = SampleBuffer(repeating: 0, count: channels[0].capacity * channels.count)
    self.channels = channels
  }

  /// Resamples `frameCount` frames and hands the interleaved result to `sink`.
  mutating func process(
    _ block: borrowing SampleBuffer, frameCount: Int, sink: (Span<Float>) throws -> Void
  ) throws {
    if channels.count == 1 {
      channels[0].process(block, count: frameCount)
      return try channels[0].hand(to: sink)
    }
    for (index, channel) in channels.enumerated() {
      for frame in 0..<frameCount { input[frame] = block[frame * channels.count + index] }
      channel.process(input, count: frameCount)
      channel.interleave(into: &output, from: index, step: channels.count)
    }
    try sink(output.span.extracting(0..<channels[0].produced * channels.count))
  }

  /// Hands on what is left at the end.
  mutating func drain(sink: (Span<Float>) throws -> Void) throws {
    while true {
      for (index, channel) in channels.enumerated() {
        channel.drain()
        channel.interleave(into: &output, from: index, step: channels.count)
      }
      if channels[0].produced == 0 { return }
      try sink(output.span.extracting(0..<channels[0].produced * channels.count))
    }
  }
}

/// One channel's resampler and its output; a class, since an array cannot hold what is not copyable.
private final class ChannelResampler {
  private var resampler: Resampler
  private var output: SampleBuffer
  let capacity: Int
  private(set) var produced = 0

  init(_ resampler: consuming Resampler, blockSampleCount: Int) {
    capacity = resampler.maximumOutputSampleCount(forInput: blockSampleCount) + 1
    output = SampleBuffer(repeating: 0, count: capacity)
    self.resampler = resampler
  }

  func process(_ input: borrowing SampleBuffer, count: Int) {
    produced = Self.resample(input, count, by: &resampler, into: &output)
  }

  func drain() { produced = Self.drain(&resampler, into: &output) }

  func hand(to sink: (Span<Float>) throws -> Void) throws { try Self.hand(output, produced, to: sink) }

  func interleave(into frames: inout SampleBuffer, from first: Int, step: Int) {
    for index in 0..<produced { frames[first + index * step] = output[index] }
  }

  // Static, since a span of one property would hold on to all of self.
  private static func resample(
    _ input: borrowing SampleBuffer, _ count: Int, by resampler: inout Resampler, into output: inout SampleBuffer
  ) -> Int {
    var room = output.mutableSpan
    return resampler.process(input.view(0..<count), into: &room).produced
  }

  private static func hand(
    _ output: borrowing SampleBuffer, _ count: Int, to sink: (Span<Float>) throws -> Void
  ) throws {
    try sink(output.span.extracting(0..<count))
  }

  private static func drain(_ resampler: inout Resampler, into output: inout SampleBuffer) -> Int {
    var room = output.mutableSpan
    return resampler.drain(into: &room)
  }
}
