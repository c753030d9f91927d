internal import CKernels
public import RealtimeCore

/// Tells whether somebody speaks, from the level in eight bands against the noise tracked in each.
///
/// Steady noise of any colour is learnt within two seconds. Other voices in the background count as speech. Levels need
/// no calibration: 30 dB quieter input is judged alike, down to the steps of 16-bit sound.
/// Measured on read speech (`VoiceActivityTests`): with white noise 20 dB below 96 % of the speech frames are found, 10 dB
/// below 92 %, at no false alarm; most of the misses are the first 20 ms of a phrase.
/// - Threads: any one at a time; after `init` no call allocates or waits. Latency: none.
/// - Source: the likelihood ratio of Sohn, Kim and Sung 1999, per band, with the minimum statistics of Martin 2001.
///   Differs: bands instead of FFT bins, the maximum-likelihood a priori SNR, and a fixed hangover instead of a chain.
public struct VoiceActivity: ~Copyable, Sendable {
  /// What a frame holds.
  @frozen
  public struct Decision: Hashable, Sendable, BitwiseCopyable {
    /// Whether somebody speaks, hangover included.
    public let isSpeech: Bool
    /// How likely this frame itself holds speech, 0...1; above 0.5 counts.
    public let probability: Float

    /// A decision from elsewhere, as for tests.
    @_noLocks
    public init(isSpeech: Bool, probability: Float) {
      self.isSpeech = isSpeech
      self.probability = probability
    }
  }

  /// Samples in a frame: 10 ms.
  public let frameSampleCount: Int

  private let hangoverFrames: Int
  private var bands: SpeechBands
  private var noise = NoiseFloor()
  private var repaired: SampleBuffer
  private var score: Float = 0
  private var hangover = 0

  /// A detector that takes what it hears first for noise, until a pause of a tenth of a second.
  /// - Parameter hangoverMilliseconds: how long `isSpeech` outlasts the last speech frame, 0...1,000 ms, to bridge the
  ///   gaps within words and keep their ends.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz, `unsupportedFrameLength` at 11,025 and 22,050 Hz,
  ///   `unsupportedSetting`.
  public init(sampleRate: SampleRate, hangoverMilliseconds: Int = 150) throws(SignalProcessingError) {
    guard (0...1_000).contains(hangoverMilliseconds) else {
      throw .unsupportedSetting(Float(hangoverMilliseconds), lowest: 0, highest: 1_000)
    }
    let count = try TenMillisecondFrame.sampleCount(at: sampleRate)
    frameSampleCount = count
    hangoverFrames = hangoverMilliseconds / 10
    bands = SpeechBands(sampleRate: sampleRate)
    repaired = SampleBuffer(repeating: 0, count: count)
  }

  /// Judges one frame; traps unless it has `frameSampleCount` samples. NaN and infinities count as 0.
  @_noLocks
  public mutating func process(_ frame: borrowing SampleView) -> Decision {
    let count = frame.count
    precondition(count == frameSampleCount, "VoiceActivity: give frames of 10 ms, frameSampleCount samples")
    repaired.copy(frame, to: 0)
    return judge()
  }

  /// Judges one frame; for callers that hold a span.
  @_noLocks
  public mutating func process(_ frame: Span<Float>) -> Decision { process(SampleView(frame)) }

  /// Judges a frame that its caller is about to change.
  @_noLocks
  mutating func process(_ frame: inout MutableSpan<Float>) -> Decision {
    let count = frame.count
    precondition(count == frameSampleCount, "VoiceActivity: give frames of 10 ms, frameSampleCount samples")
    for index in 0..<count { repaired[index] = frame[index] }
    return judge()
  }

  /// Forgets the noise, as after `init`.
  @_noLocks
  public mutating func reset() {
    bands.reset()
    noise.reset()
    score = 0
    hangover = 0
  }

  /// Judges the frame in `repaired`.
  @_noLocks
  private mutating func judge() -> Decision {
    _ = unsafe antiphon_sanitize(repaired.mutablePointer, 1_000, frameSampleCount)
    var bands = self.bands  // a copy, because the view borrows all of self
    // 1e-10: half a step of 16-bit sound, so that digital silence has a floor that dither does not stand out of.
    let powers = bands.powers(of: repaired.view) + SIMD8(repeating: 1e-10)
    self.bands = bands

    let aim = likelihood(of: powers, over: noise.update(powers))
    // Rising in about 2 frames, falling in about 5: a click of one frame is no word.
    score += (aim > score ? 0.4 : 0.2) * (aim - score)
    let probability = 1 / (1 + antiphon_expf(-(score - Self.threshold) / Self.softness))

    if probability > 0.5 {
      hangover = hangoverFrames
      return Decision(isSpeech: true, probability: probability)
    }
    let isHeld = hangover > 0
    if isHeld { hangover &-= 1 }
    return Decision(isSpeech: isHeld, probability: probability)
  }

  /// Log of one plus the bands' mean log likelihood ratio: 0 for noise, about 1.5 to 4 for speech.
  @_noLocks
  private func likelihood(of powers: SIMD8<Float>, over noise: SIMD8<Float>) -> Float {
    var sum: Float = 0
    for band in 0..<SpeechBands.count {
      let ratio = min(max(1, powers[band] / noise[band]), 100)  // 20 dB tell all there is to tell
      sum += ratio - antiphon_logf(ratio) - 1
    }
    return antiphon_log1pf(sum / Float(SpeechBands.count))
  }

  // Chosen on seven talkers in white and pink noise at 40, 20 and 10 dB: the lowest threshold without false alarms.
  private static var threshold: Float { @_noLocks get { 1 } }
  private static var softness: Float { @_noLocks get { 0.25 } }
}
