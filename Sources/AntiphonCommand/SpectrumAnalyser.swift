import Antiphon
import CallReport

/// Power spectra of windowed frames for the report's spectrograms.
struct SpectrumAnalyser: ~Copyable {
  private var transform: PreferredRealFFT

  init(sampleRate: SampleRate) throws {
    let length = CallReport.SpectrogramGrid.windowSampleCount(for: sampleRate)
    transform = try PreferredRealFFT(length: length)
  }

  /// Squared magnitudes of lines 0 to half the frame.
  mutating func powerSpectrum(_ frame: [Float]) -> [Float] {
    var spectrum = [Float](repeating: 0, count: transform.spectrumCount)
    var bins = spectrum.mutableSpan
    transform.forward(frame.span, into: &bins)
    return stride(from: 0, to: spectrum.count, by: 2).map {
      spectrum[$0] * spectrum[$0] + spectrum[$0 + 1] * spectrum[$0 + 1]
    }
  }
}
