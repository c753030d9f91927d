import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

/// Runs `input` through `resampler` in pieces of the given sizes, then drains it.
private func resample(
  _ input: [Float], with resampler: inout Resampler, inputSizes: [Int] = [480], outputSizes: [Int] = [4_096]
) -> [Float] {
  var output: [Float] = []
  var (position, call) = (0, 0)
  var isDraining = false
  var fits = true
  while true {
    let room = outputSizes[call % outputSizes.count]
    let size = inputSizes[call % inputSizes.count]
    call += 1
    var block = [Float](repeating: .nan, count: room)
    var span = block.mutableSpan
    if !isDraining {
      let end = min(input.count, position + size)
      let piece = Array(input[position..<end])
      let progress = resampler.process(piece.span, into: &span)
      fits = fits && progress.produced <= resampler.maximumOutputSampleCount(forInput: piece.count)
      position += progress.consumed
      output += block[..<progress.produced]
      isDraining = position == input.count
    } else {
      let produced = resampler.drain(into: &span)
      if produced == 0 && room > 0 {
        #expect(fits, "a call gave more than maximumOutputSampleCount")
        return output
      }
      output += block[..<produced]
    }
  }
}

private let rates: [SampleRate] = [
  .hz8000, .hz11025, .hz12000, .hz16000, .hz22050, .hz24000, .hz32000, .hz44100, .hz48000, .hz96000,
]
private let pairs = rates.flatMap { from in rates.map { (from, $0) } }

@Suite struct ResamplerTests {
  @Test(arguments: pairs) func theDrainedLengthIsExact(from: SampleRate, to: SampleRate) throws {
    for count in [0, 1, 7, 441, 5_003] {
      let input = sine(300, sampleRate: from, count: count)
      var aligned = try Resampler(from: from, to: to, skipsLatency: true)
      let expected = (count * to.hertz + from.hertz - 1) / from.hertz
      #expect(resample(input, with: &aligned).count == expected)

      var live = try Resampler(from: from, to: to)
      let tail = Int((live.latencySampleCount * Double(from.hertz) / Double(to.hertz)).rounded())
      let total = count == 0 ? 0 : ((count + tail) * to.hertz + from.hertz - 1) / from.hertz
      #expect(resample(input, with: &live).count == total)
    }
  }

  @Test(arguments: pairs) func anyCutOfTheStreamGivesTheSameSamples(from: SampleRate, to: SampleRate) throws {
    var random = SeededRandom(seed: UInt64(from.hertz * 7 + to.hertz))
    let input = random.noise(count: 3_000, amplitude: 0.7)
    var whole = try Resampler(from: from, to: to)
    let expected = resample(input, with: &whole, inputSizes: [3_000], outputSizes: [50_000])
    let sizes = (0..<997).map { _ in [0, 1, 2, 3, 17, 160, 479].randomElement(using: &random) ?? 1 }
    let rooms = (0..<991).map { _ in [0, 1, 5, 64, 333].randomElement(using: &random) ?? 1 }
    whole.reset()
    #expect(resample(input, with: &whole, inputSizes: sizes, outputSizes: rooms) == expected)
  }

  /// A pulse's peak must lie where `latencySampleCount` says, to a hundredth of a sample.
  @Test(arguments: pairs) func aPulseLandsAtTheReportedLatency(from: SampleRate, to: SampleRate) throws {
    for skips in [false, true] {
      var resampler = try Resampler(from: from, to: to, skipsLatency: skips)
      // A Gaussian well inside both bands, its centre off the sample grid.
      let slower = Double(min(from.hertz, to.hertz))
      let centre = 40.3 / slower
      let width = 3 / slower
      let input = (0..<Int(120 * Double(from.hertz) / slower)).map { index -> Float in
        let distance = (Double(index) / Double(from.hertz) - centre) / width
        return Float(exp(-0.5 * distance * distance))
      }
      let output = resample(input, with: &resampler)
      // The centre of gravity is the centre of a symmetric pulse.
      let weight = output.reduce(0.0) { $0 + Double($1) }
      let moment = output.enumerated().reduce(0.0) { $0 + Double($1.offset) * Double($1.element) }
      let expected = centre * Double(to.hertz) + resampler.latencySampleCount
      #expect(abs(moment / weight - expected) < 0.01)
      if skips { #expect(resampler.latencySampleCount == 0) }
    }
  }

  @Test func levelsHaveTheQualityTheyClaim() throws {
    for (quality, signal, rejection) in [(Resampler.Quality.low, 80.0, 85.0), (.medium, 95, 98), (.high, 100, 98)] {
      for (from, to) in [(SampleRate.hz48000, SampleRate.hz16000), (.hz16000, .hz48000), (.hz44100, .hz48000)] {
        let nyquist = Double(min(from.hertz, to.hertz)) / 2
        for share in [0.02, 0.125, 0.4, 0.8] {
          var resampler = try Resampler(from: from, to: to, quality: quality, skipsLatency: true)
          let input = sine(share * nyquist, sampleRate: from, count: from.hertz / 2)
          let output = resample(input, with: &resampler)
          let ideal = sine(share * nyquist, sampleRate: to, count: to.hertz / 2)
          // The ends hear the silence around the tone. Ripple counts as error, so the gain is fitted first.
          let middle = to.hertz / 8..<to.hertz * 3 / 8
          let gain =
            zip(output[middle], ideal[middle]).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
            / ideal[middle].reduce(0.0) { $0 + Double($1) * Double($1) }
          #expect(abs(20 * log10(gain)) < 0.05, "ripple at \(share) of Nyquist, \(quality)")
          let fitted = ideal[middle].map { $0 * Float(gain) }
          #expect(signalToNoise(fitted, Array(output[middle])) > signal, "\(from) to \(to), \(share), \(quality)")
        }
        guard to < from else { continue }
        for share in [1.15, 1.4, 1.9, 2.6] {
          var resampler = try Resampler(from: from, to: to, quality: quality)
          let output = resample(sine(share * nyquist, sampleRate: from, count: from.hertz / 2), with: &resampler)
          let middle = output[to.hertz / 8..<to.hertz * 3 / 8]
          #expect(powerDecibels(middle) < -9 - rejection, "alias of \(share) Nyquist, \(quality)")
        }
      }
    }
  }

  /// Negative control of the test above: plain decimation must fail its alias limit by far.
  @Test func withoutAFilterTheAliasWouldBeSeen() {
    let input = sine(1.4 * 8_000, sampleRate: .hz48000, count: 24_000)
    let decimated = stride(from: 0, to: input.count, by: 3).map { input[$0] }
    #expect(powerDecibels(decimated) > -12)
  }

  /// An hour of 44.1 kHz in pieces that never fit: the count stays exact, and so does the phase of a tone at the end.
  @Test func anHourDriftsByNothing() throws {
    var resampler = try Resampler(from: .hz44100, to: .hz48000, quality: .low, skipsLatency: true)
    let (seconds, frequency) = (3_600, 1_000.0)
    // 441 samples hold ten whole periods: the same block over and over is a steady tone.
    let block = sine(frequency, sampleRate: .hz44100, count: 441)
    var output = [Float](repeating: 0, count: 481)
    var total = 0
    var lastPhase = 0.0
    for call in 1...seconds * 100 {
      var span = output.mutableSpan
      let progress = resampler.process(block.span, into: &span)
      guard progress.consumed == 441 else { break }
      if call == seconds * 100 { lastPhase = phase(output[..<progress.produced], startingAt: total) }
      total += progress.produced
    }
    var span = output.mutableSpan
    while case let produced = resampler.drain(into: &span), produced > 0 { total += produced }
    #expect(total == seconds * 48_000)
    #expect(abs(lastPhase) < 1e-4)
  }

  /// Phase in radians of a tone of 1 kHz at 48 kHz against the one that began with sample 0.
  private func phase(_ samples: ArraySlice<Float>, startingAt position: Int) -> Double {
    var (inPhase, quadrature) = (0.0, 0.0)
    for (index, sample) in samples.prefix(432).enumerated() {  // nine whole periods
      let angle = 2 * Double.pi * Double((position + index) % 48) / 48
      inPhase += Double(sample) * sin(angle)
      quadrature += Double(sample) * cos(angle)
    }
    return atan2(quadrature, inPhase)
  }

  @Test func whatIsNotANumberIsZeroedCountedAndForgotten() throws {
    var resampler = try Resampler(from: .hz48000, to: .hz16000)
    var input = sine(440, sampleRate: .hz48000, count: 4_800)
    var zeroed = input
    for (index, value) in [(10, Float.nan), (11, .infinity), (2_000, -.infinity), (2_001, .signalingNaN)] {
      input[index] = value
      zeroed[index] = 0
    }
    let output = resample(input, with: &resampler, outputSizes: [7])
    #expect(resampler.repairedSampleCount == 4)
    resampler.reset()
    #expect(output == resample(zeroed, with: &resampler))
    #expect(output.allSatisfy { $0.isFinite })
  }

  @Test func equalRatesCopy() throws {
    var resampler = try Resampler(from: .hz16000, to: .hz16000)
    var random = SeededRandom(seed: 4)
    let input = random.noise(count: 1_000, amplitude: 1)
    #expect(resampler.latencySampleCount == 0)
    #expect(resample(input, with: &resampler, inputSizes: [1, 0, 77], outputSizes: [3, 50]) == input)
  }

  @Test func ratesOutOfRangeAreRefused() throws {
    let slow = try SampleRate(hertz: 4_000)
    #expect(throws: SignalProcessingError.unsupportedRatePair(from: slow, to: .hz16000)) {
      _ = try Resampler(from: slow, to: .hz16000)
    }
  }

  @Test func processingNeverTouchesTheHeap() throws {
    for (from, to) in [(SampleRate.hz48000, SampleRate.hz16000), (.hz44100, .hz48000), (.hz16000, .hz16000)] {
      var resampler = try Resampler(from: from, to: to)
      let input = sine(440, sampleRate: from, count: from.sampleCount(milliseconds: 10))
      var output = [Float](repeating: 0, count: 2_000)
      var span = output.mutableSpan
      let inputSpan = input.span
      for _ in 0..<3 { _ = resampler.process(inputSpan, into: &span) }
      let operations = heapOperations {
        onRealtimePath {
          for _ in 0..<1_000 { _ = resampler.process(inputSpan, into: &span) }
          _ = resampler.drain(into: &span)
          resampler.reset()
        }
      }
      #expect(operations ?? 0 == 0)
    }
  }
}
