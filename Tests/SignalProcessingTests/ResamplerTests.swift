import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

@Suite struct ResamplerTests {
  @Test(arguments: ratePairs) func theDrainedLengthIsExact(from: SampleRate, to: SampleRate) throws {
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

  @Test(arguments: ratePairs) func anyCutOfTheStreamGivesTheSameSamples(from: SampleRate, to: SampleRate) throws {
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
  @Test(arguments: ratePairs) func aPulseLandsAtTheReportedLatency(from: SampleRate, to: SampleRate) throws {
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

  @Test func whatIsHugeIsBounded() throws {
    for (from, to) in [(SampleRate.hz48000, SampleRate.hz16000), (.hz44100, .hz48000), (.hz16000, .hz16000)] {
      var resampler = try Resampler(from: from, to: to, quality: .high)
      let huge = (0..<2_000).map { $0 % 7 < 3 ? Float.greatestFiniteMagnitude : -1e20 }
      #expect(resample(huge, with: &resampler).allSatisfy { abs($0) < 4_000 })
      #expect(resampler.repairedSampleCount == 0)
    }
  }

  /// A constant that sets in: each call gives its share at once, silence until the filter hears the constant, no burst,
  /// and then the constant for good.
  @Test(arguments: [Resampler.Quality.low, .medium, .high])
  func aStreamBeginsWithoutABurstOrAHole(quality: Resampler.Quality) throws {
    for (from, to) in [(SampleRate.hz48000, SampleRate.hz16000), (.hz16000, .hz48000), (.hz44100, .hz48000)] {
      var resampler = try Resampler(from: from, to: to, quality: quality)
      let input = [Float](repeating: 1, count: from.hertz / 100)
      var output: [Float] = []
      for call in 1...10 {
        var block = [Float](repeating: 0, count: resampler.maximumOutputSampleCount(forInput: input.count))
        var span = block.mutableSpan
        let progress = resampler.process(input.span, into: &span)
        output += block[..<progress.produced]
        #expect(output.count == (call * input.count * to.hertz + from.hertz - 1) / from.hertz)
      }
      #expect(abs(output[0]) < 0.001)
      #expect(output.allSatisfy { abs($0) < 1.15 })  // Gibbs: 9 % and a little
      let settled = Int(2 * resampler.latencySampleCount) + 1
      #expect(output[settled...].allSatisfy { abs($0 - 1) < 1e-5 })
    }
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
    let pairs: [(SampleRate, SampleRate, Bool)] = [
      (.hz48000, .hz16000, false), (.hz44100, .hz48000, false), (.hz16000, .hz16000, false), (.hz44100, .hz48000, true),
    ]
    for (from, to, isAdjustable) in pairs {
      var resampler = try Resampler(from: from, to: to, isAdjustable: isAdjustable)
      let input = sine(440, sampleRate: from, count: from.sampleCount(milliseconds: 10))
      var output = [Float](repeating: 0, count: 2_000)
      var span = output.mutableSpan
      let inputSpan = input.span
      for _ in 0..<3 { _ = resampler.process(inputSpan, into: &span) }
      let operations = heapOperations {
        onRealtimePath {
          for call in 0..<1_000 {
            if isAdjustable { resampler.adjust(partsPerMillion: Double(call)) }
            _ = resampler.process(inputSpan, into: &span)
          }
          _ = resampler.drain(into: &span)
          resampler.reset()
        }
      }
      #expect(operations ?? 0 == 0)
    }
  }
}
