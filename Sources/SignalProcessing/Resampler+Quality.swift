internal import RealtimeCore

extension Resampler {
  /// How sharp the filter is; sharper costs time and delay.
  ///
  /// Percentages are of the lower of the two Nyquist frequencies. "Noise" is all that is not the tone, the worst of tones
  /// up to 85 %: images, aliases, rounding.
  public enum Quality: Sendable, CaseIterable {
    /// Flat within 0.001 dB to 80 %, -3 dB at 93 %, aliases from 115 % on and noise below -90 dB; 1.25 ms late where the
    /// lower rate is 16 kHz. For many calls on one machine.
    case low
    /// Flat within 0.001 dB to 80 %, -3 dB at 93 %, aliases from 115 % on and noise below -105 dB; never more than
    /// 2.5 ms late. Beyond 16-bit sound in every figure: for calls.
    case medium
    /// Flat within 0.0001 dB to 80 %, -3 dB at 97 %, aliases from 115 % on and noise below -125 dB; never more than 8 ms
    /// late. For files, and where the top of the band matters.
    case high

    /// SpeexDSP's level (filter lengths 48, 80 and 256 taps at the lower rate).
    var speexLevel: Int {
      switch self {
      case .low: 3
      case .medium: 5
      case .high: 10
      }
    }
  }
}

extension Resampler.Quality {
  /// The filter between two rates.
  ///
  /// Its length is limited in samples of the lower rate and in time. The shorter it is, the wider its transition band, and
  /// the closer the middle of that lies to the Nyquist frequency: then the pass band still begins above 80 % and the stop
  /// band ends below 115 %. The constants are measured choices, on the tones of `ResamplerQualityTests`.
  func filter(from inputRate: SampleRate, to outputRate: SampleRate) -> KaiserSinc {
    let lowerRate = Double(min(inputRate.hertz, outputRate.hertz))
    let (halfLength, longestDelay, attenuation, sharpestCutoff, widening) =
      switch self {
      case .low: (20.0, 0.0025, 90.0, 0.9, 1.1)
      case .medium: (40.0, 0.0025, 107.0, 0.918, 0.96)
      case .high: (128.0, 0.008, 129.0, 0.972, 0.768)
      }
    let half = min(halfLength, longestDelay * lowerRate)
    // Between equal rates nothing can alias, and a sinc of the full band passes every sample unchanged at phase 0.
    let cutoff = inputRate == outputRate ? 1 : sharpestCutoff + widening / half
    return KaiserSinc(halfLength: half, cutoff: cutoff, attenuation: attenuation)
  }
}
