public import RealtimeCore

/// Turns down steady noise behind a voice, 10 ms frames in place, one channel.
///
/// Switching it off and on crossfades over one frame, and the delay stays the same either way. Off, it goes on tracking
/// the noise, so that it works at once when it comes back; processing time stays the same too.
/// - Threads: any one at a time; after `init` no call allocates or waits.
/// - Source: `SpeexPreprocessor`.
public struct NoiseSuppressor: ~Copyable, Sendable {
  /// Samples in a frame: 10 ms.
  public let frameSampleCount: Int
  /// Whether noise is turned down; a change is heard over the next frame.
  public var isEnabled = true
  /// The most by which noise is turned down, in dB.
  public let maximumAttenuation: Int

  private let preprocessor: SpeexPreprocessor
  private var work: Int16Samples
  private var dry: SampleBuffer  // the frame before and the one now: the suppressor's output is one frame late
  private var wetShare: Float = 1

  /// A suppressor that has yet to learn the noise; that takes about half a second.
  /// - Parameter maximumAttenuation: in dB, 0...60; beyond 20 the rest of the noise begins to chirp.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz, `unsupportedFrameLength` at 11,025 and 22,050 Hz,
  ///   `unsupportedSetting`, `outOfMemory`.
  public init(sampleRate: SampleRate, maximumAttenuation: Int = 15) throws(SignalProcessingError) {
    guard (0...60).contains(maximumAttenuation) else {
      throw .unsupportedSetting(Float(maximumAttenuation), lowest: 0, highest: 60)
    }
    let preprocessor = try SpeexPreprocessor(sampleRate: sampleRate)
    preprocessor.setNoiseAttenuation(maximumAttenuation)
    frameSampleCount = preprocessor.frameSampleCount
    self.maximumAttenuation = maximumAttenuation
    work = Int16Samples(count: frameSampleCount)
    dry = SampleBuffer(repeating: 0, count: 2 * frameSampleCount)
    self.preprocessor = preprocessor
  }

  /// How far the output lies behind the input: one frame.
  public var latencySampleCount: Int { frameSampleCount }

  /// Filters one frame in place; traps unless it has `frameSampleCount` samples. NaN and infinities count as 0.
  @_noLocks
  public mutating func process(_ frame: inout MutableSpan<Float>) {
    let count = frame.count
    precondition(count == frameSampleCount, "NoiseSuppressor: give frames of 10 ms, frameSampleCount samples")
    Kernel.sanitize(&frame, limit: 1)
    dry.move(count..<2 &* count, to: 0)
    for index in 0..<count { dry[count &+ index] = frame[index] }
    _ = work.store(&frame)
    preprocessor.run(work)
    work.load(into: &frame)
    fade(&frame)
  }

  /// Moves from filtered to delayed input or back, linearly over one frame.
  @_noLocks
  private mutating func fade(_ frame: inout MutableSpan<Float>) {
    let aim: Float = isEnabled ? 1 : 0
    if wetShare == 1 && aim == 1 { return }
    let step = (aim - wetShare) / Float(frameSampleCount)
    for index in 0..<frameSampleCount {
      wetShare += step
      frame[index] = dry[index] + wetShare * (frame[index] - dry[index])
    }
    wetShare = aim
  }
}
