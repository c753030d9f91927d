internal import RealtimeCore

extension Resampler {
  /// How sharp the filter is; sharper costs time and delay.
  ///
  /// Percentages are of the lower of the two Nyquist frequencies. "Noise" is all that is not the tone, the worst of tones
  /// up to 85 %: images, aliases, rounding. Below a lower rate of 16 kHz the limit of the latency makes the filter shorter
  /// and its edge less steep; files, with `skipsLatency`, have the full filter at every rate.
  public enum Quality: Sendable, CaseIterable {
    /// Flat within 0.001 dB to 80 %, -3 dB at 93 %, aliases from 115 % on and noise below -90 dB; 1.25 ms late where the
    /// lower rate is 16 kHz. For many calls on one machine.
    case low
    /// Flat within 0.001 dB to 80 %, -3 dB at 92 %, aliases from 115 % on and noise below -105 dB; never more than
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
  /// Its length is limited in samples of the lower rate and, for a live stream, in time. The shorter it is, the wider its transition band and
  /// the closer the middle of that to the Nyquist frequency, so that the pass band still ends above 80 % and the stop band
  /// begins below 115 %. The stop band falls off beyond its edge: where that lies well below 115 %, less attenuation at
  /// the edge gives the same from 115 % on, and a narrower transition. The constants are choices, made on the response of
  /// the filters and pinned by `ResamplerQualityTests`.
  func filter(from inputRate: SampleRate, to outputRate: SampleRate, isLive: Bool) -> KaiserSinc {
    let lowerRate = Double(min(inputRate.hertz, outputRate.hertz))
    let half = isLive ? min(halfLength, longestDelay * lowerRate) : halfLength
    let (cutoff, attenuation) =
      switch self {
      case .low: (0.955, 90.0)
      case .medium: (0.907 + 1.18 / half, 99.5 + 160 / half)
      case .high: (0.969 + 0.768 / half, 115.2 + 307 / half)
      }
    // Between equal rates nothing can alias, and a sinc of the full band passes every sample unchanged at phase 0.
    return KaiserSinc(halfLength: half, cutoff: inputRate == outputRate ? 1 : cutoff, attenuation: attenuation)
  }

  /// In samples of the lower rate.
  private var halfLength: Double {
    switch self {
    case .low: 20
    case .medium: 40
    case .high: 128
    }
  }

  /// In seconds.
  private var longestDelay: Double { self == .high ? 0.008 : 0.0025 }
}
