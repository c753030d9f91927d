import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

private let lengths = [32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 8_192, 16_384]

/// The same statements for each transform of the library.
@Suite struct RealFFTTests {
  @Test(arguments: lengths, [false, true]) func splitRadixIsTheDefinition(length: Int, baseline: Bool) throws {
    var transform = try SplitRadixRealFFT(length: length)
    transform.usesBaseline = baseline
    expectTheDefinition(&transform)
    expectInverseAndParseval(&transform)
    expectLinearity(&transform)
    expectKnownSignals(&transform)
  }

  @Test(arguments: [32, 1_024, 65_536]) func splitRadixAllocatesNothing(length: Int) throws {
    var transform = try SplitRadixRealFFT(length: length)
    expectNoHeapOperations(&transform)
  }

  @Test(arguments: [-8, 0, 1, 16, 48, 1_000, 131_072]) func splitRadixRefusesOtherLengths(length: Int) {
    #expect(throws: SignalProcessingError.unsupportedTransformLength(length, lowest: 32, highest: 65_536)) {
      _ = try SplitRadixRealFFT(length: length)
    }
  }

  #if FFTW
    @Test(arguments: lengths) func fftwIsTheDefinition(length: Int) throws {
      var transform = try FFTWRealFFT(length: length)
      expectTheDefinition(&transform)
      expectInverseAndParseval(&transform)
      expectLinearity(&transform)
      expectKnownSignals(&transform)
      expectNoHeapOperations(&transform)
    }

    @Test(arguments: [2, 6, 30, 160, 441, 480, 882, 960, 1_764]) func fftwTakesEvenLengthsOnly(length: Int) throws {
      guard length.isMultiple(of: 2) else {
        #expect(throws: SignalProcessingError.self) { _ = try FFTWRealFFT(length: length) }
        return
      }
      var transform = try FFTWRealFFT(length: length)
      expectTheDefinition(&transform)
      expectInverseAndParseval(&transform)
      expectNoHeapOperations(&transform)
    }

    @Test(arguments: lengths) func splitRadixEqualsFFTW(length: Int) throws {
      var random = SeededRandom(seed: UInt64(length) &+ 3)
      let x = random.noise(count: length, amplitude: 1)
      var ours = try SplitRadixRealFFT(length: length)
      var theirs = try FFTWRealFFT(length: length)
      let a = forward(&ours, x)
      let b = forward(&theirs, x)
      #expect(relativeError(a.map(Double.init), b.map(Double.init)) < 1e-5)
      #expect(relativeError(inverse(&ours, a).map(Double.init), inverse(&theirs, a).map(Double.init)) < 1e-5)
    }

    /// FFTW works in place of the caller's buffers where they are aligned, and in its own where they are not.
    @Test(arguments: [32, 480, 1_024]) func alignmentDoesNotMatter(length: Int) throws {
      var transform = try FFTWRealFFT(length: length)
      var random = SeededRandom(seed: 30)
      var samples = SampleBuffer(repeating: 0, count: length + 1)
      for index in 0..<length { samples[index] = Float.random(in: -1...1, using: &random) }
      var aligned = SampleBuffer(repeating: 0, count: length + 3)
      var shifted = SampleBuffer(repeating: 0, count: length + 3)
      transformPart(&transform, samples.view(0..<length), &aligned, 0)
      samples.move(0..<length, to: 1)
      transformPart(&transform, samples.view(1..<(length + 1)), &shifted, 1)
      for index in 0..<(length + 2) { #expect(aligned[index] == shifted[index + 1]) }
    }

    private func transformPart(
      _ transform: inout FFTWRealFFT, _ samples: borrowing SampleView, _ spectrum: inout SampleBuffer, _ offset: Int
    ) {
      var output = spectrum.mutableSpan(offset..<(offset + transform.spectrumCount))
      transform.forward(samples, into: &output)
    }

    /// Plans are made and destroyed on many threads at once; FFTW's planner alone would not survive that.
    @Test func plansAreMadeOnManyThreads() async throws {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for task in 0..<8 {
          group.addTask {
            for round in 0..<20 {
              var transform = try FFTWRealFFT(length: 64 << ((task + round) % 4))
              var impulse = [Float](repeating: 0, count: transform.length)
              impulse[0] = 1
              #expect(forward(&transform, impulse)[transform.length] == 1)
            }
          }
        }
        try await group.waitForAll()
      }
    }
  #endif
}

func forward<Transform: RealFFT & ~Copyable>(_ transform: inout Transform, _ x: [Float]) -> [Float] {
  var spectrum = [Float](repeating: .nan, count: transform.spectrumCount)
  var span = spectrum.mutableSpan
  transform.forward(x.span, into: &span)
  return spectrum
}

func inverse<Transform: RealFFT & ~Copyable>(_ transform: inout Transform, _ spectrum: [Float]) -> [Float] {
  var x = [Float](repeating: .nan, count: transform.length)
  var span = x.mutableSpan
  transform.inverse(spectrum.span, into: &span)
  return x
}

/// Root of the error's energy over the root of the second's.
private func relativeError(_ a: [Double], _ b: [Double]) -> Double {
  let error = zip(a, b).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
  return (error / b.reduce(1e-300) { $0 + $1 * $1 }).squareRoot()
}

/// Bins `bins` of the transform, summed in double precision as the definition reads.
private func definition(_ x: [Float], bins: [Int]) -> [Double] {
  let n = x.count
  let cosines = (0..<n).map { cos(2 * .pi * Double($0) / Double(n)) }
  let sines = (0..<n).map { sin(2 * .pi * Double($0) / Double(n)) }
  var result: [Double] = []
  for k in bins {
    var real = 0.0
    var imaginary = 0.0
    var turn = 0
    for i in 0..<n {
      real += Double(x[i]) * cosines[turn]
      imaginary -= Double(x[i]) * sines[turn]
      turn += k
      if turn >= n { turn -= n }
    }
    result += [real, imaginary]
  }
  return result
}

/// All bins up to 1,024 samples; 60 spread ones, with both ends, above.
private func expectTheDefinition<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) {
  let n = transform.length
  var random = SeededRandom(seed: UInt64(n))
  let x = random.noise(count: n, amplitude: 1)
  let bins =
    n <= 1_024
    ? Array(0...(n / 2))
    : [0, 1, n / 4, n / 2 - 1, n / 2] + (0..<55).map { _ in Int.random(in: 0...(n / 2), using: &random) }
  let spectrum = forward(&transform, x)
  let ours = bins.flatMap { [Double(spectrum[2 * $0]), Double(spectrum[2 * $0 + 1])] }
  // A float has 24 bits; the error of a good transform grows with the root of log n (Schatzman 1996).
  let error = relativeError(ours, definition(x, bins: bins))
  #expect(error < 5e-7, "length \(n), seed \(random.seed)")
  #expect(spectrum[1] == 0 && spectrum[n + 1] == 0)
}

private func expectInverseAndParseval<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) {
  let n = transform.length
  var random = SeededRandom(seed: UInt64(n) &+ 1)
  let x = random.noise(count: n, amplitude: 1)
  var spectrum = forward(&transform, x)
  var energy = 0.0
  for k in 0...(n / 2) {
    let power =
      Double(spectrum[2 * k]) * Double(spectrum[2 * k]) + Double(spectrum[2 * k + 1]) * Double(spectrum[2 * k + 1])
    energy += k == 0 || k == n / 2 ? power : 2 * power
  }
  let inTime = x.reduce(0.0) { $0 + Double($1) * Double($1) }
  #expect(abs(energy / Double(n) - inTime) < 1e-5 * inTime)
  // What the ends' imaginary parts hold must not matter.
  spectrum[1] = 1e3
  spectrum[n + 1] = -1e3
  let back = inverse(&transform, spectrum)
  #expect(relativeError(back.map(Double.init), x.map(Double.init)) < 5e-7)
}

private func expectLinearity<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) {
  var random = SeededRandom(seed: UInt64(transform.length) &+ 2)
  let x = random.noise(count: transform.length, amplitude: 1)
  let y = random.noise(count: transform.length, amplitude: 1)
  let both = forward(&transform, zip(x, y).map { 0.5 * $0 - 3 * $1 }).map(Double.init)
  let apart = zip(forward(&transform, x), forward(&transform, y)).map { 0.5 * Double($0) - 3 * Double($1) }
  #expect(relativeError(both, apart) < 1e-6)
}

/// An impulse at 1 turns once round the circle; a sine on bin 3 of amplitude 0.5 reads n/4 there and nothing elsewhere.
private func expectKnownSignals<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) {
  let n = transform.length
  var impulse = [Float](repeating: 0, count: n)
  impulse[1] = 1
  let turn = forward(&transform, impulse)
  let circle = (0...(n / 2)).flatMap { k -> [Double] in
    let angle = 2 * Double.pi * Double(k) / Double(n)
    return [cos(angle), -sin(angle)]
  }
  #expect(relativeError(turn.map(Double.init), circle) < 1e-6)
  let tone = forward(&transform, (0..<n).map { Float(0.5 * sin(2 * .pi * 3 * Double($0) / Double(n))) })
  for k in 0...(n / 2) {
    let magnitude = hypot(tone[2 * k], tone[2 * k + 1]) / Float(n)
    #expect(abs(magnitude - (k == 3 ? 0.25 : 0)) < 1e-6)
  }
}

private func expectNoHeapOperations<Transform: RealFFT & ~Copyable>(_ transform: inout Transform) {
  let samples = SampleBuffer(repeating: 0.5, count: transform.length)
  let spectrum = SampleBuffer(repeating: 0.5, count: transform.spectrumCount)
  var samplesOut = SampleBuffer(repeating: 0, count: transform.length)
  var spectrumOut = SampleBuffer(repeating: 0, count: transform.spectrumCount)
  var operations: Int? = 0
  for _ in 0..<3 {  // the first round may load the runtime's metadata
    operations = heapOperations {
      var first = spectrumOut.mutableSpan
      transform.forward(samples.view, into: &first)
      var second = samplesOut.mutableSpan
      transform.inverse(spectrum.view, into: &second)
    }
  }
  #expect(operations == 0 || operations == nil)
}
