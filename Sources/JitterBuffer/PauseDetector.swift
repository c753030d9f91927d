import RealtimeCore

/// Tells pauses in the speech, where a cut goes unheard, from the decoded signal's energy.
///
/// A stretch of signal is quiet when it is within 9 dB of the background noise and 27 dB below the speech, or below
/// -66 dBFS in any case. The noise is the least energy of late, allowed to rise by 2 dB per second.
struct PauseDetector: Sendable, BitwiseCopyable {
  private var noise: Float = 1e-3
  private var speech: Float = 1e-6
  private let hertz: Float

  init(sampleRate: SampleRate) { hertz = Float(sampleRate.hertz) }

  /// Takes `count` newly decoded samples and says whether they are quiet.
  @_noLocks
  mutating func process(_ samples: borrowing SampleBuffer, count: Int) -> Bool {
    guard count > 0 else { return false }
    // The loudest quarter decides: an onset at the end of a frame is speech.
    var loudest: Float = 0
    var total: Float = 0
    let quarter = max(1, count / 4)
    var from = 0
    while from < count {
      let to = min(count, from &+ quarter)
      var sum: Float = 0
      for index in from..<to { sum += samples[index] * samples[index] }
      total += sum
      loudest = max(loudest, sum / Float(to &- from))
      from = to
    }
    let mean = total / Float(count)
    let seconds = Float(count) / hertz
    noise = max(1e-9, min(mean, noise * (1 + 0.585 * seconds)))
    // The speech level falls by about 1 dB per second.
    speech = max(loudest, speech * (1 - 0.23 * seconds))
    return loudest < 2.5e-7 || (loudest < 8 * noise && loudest < 0.002 * speech)
  }
}
