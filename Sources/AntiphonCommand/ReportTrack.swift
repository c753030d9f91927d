import Antiphon
import CallReport

extension CallReport.Track {
  /// A signal with player, outline and spectrogram.
  static func recorded(
    _ name: String, detail: String? = nil, _ side: CallReport.Side, _ samples: [Float], _ rate: SampleRate
  ) throws -> CallReport.Track {
    var track = CallReport.Track(name, detail: detail, side: side)
    track.audio = .wav(samples, sampleRate: rate)
    track.waveform = .init(samples, sampleRate: rate)
    var analyser = try SpectrumAnalyser(sampleRate: rate)
    track.spectrogram = .init(of: samples, sampleRate: rate) { analyser.powerSpectrum($0) }
    return track
  }
}
