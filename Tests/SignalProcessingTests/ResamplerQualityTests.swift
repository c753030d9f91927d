import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// What the documentation of `Resampler.Quality` says, measured on tones.
@Suite struct ResamplerQualityTests {
  struct Claim: Sendable, CustomTestStringConvertible {
    let quality: Resampler.Quality
    /// In dB, up to 80 % of the lower Nyquist frequency.
    let ripple: Double
    /// Where less than 3 dB are lost, as a share of that frequency.
    let edge: Double
    /// In dB: how far images, aliases from 115 % on and rounding lie below the tone.
    let rejection: Double
    /// In seconds.
    let longestLatency: Double

    var testDescription: String { "\(quality)" }
  }

  static let claims = [
    Claim(quality: .low, ripple: 0.001, edge: 0.925, rejection: 90, longestLatency: 0.0025),
    Claim(quality: .medium, ripple: 0.001, edge: 0.92, rejection: 105, longestLatency: 0.0025),
    Claim(quality: .high, ripple: 0.0001, edge: 0.97, rejection: 125, longestLatency: 0.008),
  ]
  static let pairs: [(SampleRate, SampleRate)] = [
    (.hz48000, .hz16000), (.hz16000, .hz48000), (.hz44100, .hz48000), (.hz48000, .hz24000), (.hz48000, .hz8000),
    (.hz11025, .hz16000),
  ]

  @Test(arguments: claims, pairs)
  func tonesComeThroughAsClaimed(claim: Claim, pair: (SampleRate, SampleRate)) throws {
    for (isAdjustable, skipsLatency) in [(false, false), (true, false), (false, true)] {
      var resampler = try Resampler(
        from: pair.0, to: pair.1, quality: claim.quality, skipsLatency: skipsLatency, isAdjustable: isAdjustable)
      check(&resampler, claim)
    }
  }

  private func check(_ resampler: inout Resampler, _ claim: Claim) {
    let (from, to) = (resampler.inputRate, resampler.outputRate)
    let nyquist = Double(min(from.hertz, to.hertz)) / 2
    func pass(_ share: Double, _ resampler: inout Resampler) -> ArraySlice<Float> {
      resampler.reset()
      let output = resample(sine(share * nyquist, sampleRate: from, count: from.hertz / 10), with: &resampler)
      return output[to.hertz / 40..<to.hertz * 3 / 40]  // the ends hear the silence around the tone
    }
    var gains: [Double] = []
    for share in [0.01, 0.05, 0.125, 0.21, 0.33, 0.4, 0.5, 0.6, 0.66, 0.71, 0.75, 0.78, 0.8, 0.83, 0.85] {
      let tone = Tone(share * nyquist, in: pass(share, &resampler), sampleRate: to)
      #expect(tone.signalToNoise > claim.rejection, "noise at \(share)")
      if share <= 0.8 { gains.append(20 * log10(tone.amplitude / 0.5)) }
    }
    #expect(gains.max()! - gains.min()! < claim.ripple)
    #expect(abs(gains[0]) < 0.001)
    let edge = Tone(claim.edge * nyquist, in: pass(claim.edge, &resampler), sampleRate: to)
    #expect(20 * log10(edge.amplitude / 0.5) > -3.01)
    for share in [1.15, 1.17, 1.2, 1.28, 1.4, 1.63, 1.9, 2.4, 2.9, 4.3, 5.6]
    where share * nyquist < Double(from.hertz) / 2 {
      #expect(
        powerDecibels(pass(share, &resampler)) - 20 * log10(0.5 * 0.5.squareRoot()) < -claim.rejection,
        "alias of \(share)")
    }
  }

  /// Negative control of the test above: plain decimation must fail its limits by far.
  @Test func withoutAFilterAliasesWouldBeSeen() {
    let input = sine(1.4 * 8_000, sampleRate: .hz48000, count: 24_000)
    let decimated = stride(from: 0, to: input.count, by: 3).map { input[$0] }
    #expect(powerDecibels(decimated) > -12)
    let passed = Tone(1_000, in: decimated[...], sampleRate: .hz16000)
    #expect(passed.signalToNoise < 0)
  }

  @Test(arguments: claims) func noRatePairIsLaterThanClaimed(claim: Claim) throws {
    for (from, to) in ratePairs where from != to {
      let resampler = try Resampler(from: from, to: to, quality: claim.quality)
      #expect(Double(resampler.latencyNanoseconds) * 1e-9 <= claim.longestLatency)
    }
  }

  /// Where an impulse and the output's samples can meet exactly, the response is symmetric about the reported latency.
  @Test(arguments: claims) func anImpulseIsSymmetricAboutTheReportedLatency(claim: Claim) throws {
    for (from, to) in [(SampleRate.hz48000, SampleRate.hz16000), (.hz16000, .hz48000), (.hz48000, .hz8000)] {
      var resampler = try Resampler(from: from, to: to, quality: claim.quality)
      let latency = resampler.latencyNanoseconds * Int64(from.hertz) / 1_000_000_000
      var input = [Float](repeating: 0, count: 6 * 1_024)
      let place = 6 * 256 - Int(latency % 6)  // so that the middle falls on an output sample
      input[place] = 1
      let output = resample(input, with: &resampler)
      let middle = Int((Double(place) * Double(to.hertz) / Double(from.hertz) + resampler.latencySampleCount).rounded())
      #expect(output.indices.max { output[$0] < output[$1] } == middle)
      for distance in 1..<middle where middle + distance < output.count {
        #expect(abs(output[middle - distance] - output[middle + distance]) < 1e-7)
      }
    }
  }

  /// Against a filter that is not ours: SpeexDSP's sharpest, on tones that both let through.
  @Test(arguments: pairs) func agreesWithSpeexDSP(from: SampleRate, to: SampleRate) throws {
    let nyquist = Double(min(from.hertz, to.hertz)) / 2
    let tones = [0.013, 0.11, 0.29, 0.47, 0.61, 0.77].map {
      sine($0 * nyquist, sampleRate: from, count: from.hertz / 4, amplitude: 0.15)
    }
    let input = tones[0].indices.map { index in tones.reduce(0) { $0 + $1[index] } }
    var ours = try Resampler(from: from, to: to, quality: .high, skipsLatency: true)
    var theirs = try Resampler(from: from, to: to, quality: .high, skipsLatency: true, engine: .speexDSP)
    let (mine, rival) = (resample(input, with: &ours), resample(input, with: &theirs))
    #expect(mine.count == rival.count)
    let middle = to.hertz / 16..<to.hertz * 3 / 16
    #expect(signalToNoise(Array(rival[middle]), Array(mine[middle])) > 110)
  }
}
