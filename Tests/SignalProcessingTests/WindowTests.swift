import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

@Suite struct WindowTests {
  @Test(arguments: Window.Shape.allCases) func shapesAreSymmetricAroundTheirMiddle(shape: Window.Shape) {
    let periodic = Window(shape, length: 64)
    let symmetric = Window(shape, length: 65, symmetry: .symmetric)
    for index in 0..<64 { #expect(periodic[index] == symmetric[index]) }
    for index in 0..<65 { #expect(abs(symmetric[index] - symmetric[64 - index]) < 1e-6) }
    #expect(abs(periodic[32] - 1) < 1e-6)
  }

  /// Harris 1978, table 1; Blackman-Harris and Hamming to the digits printed there.
  @Test func noiseBandwidthsAreThePublishedOnes() {
    #expect(abs(Window(.rectangular, length: 1_024).equivalentNoiseBandwidth - 1) < 1e-5)
    #expect(abs(Window(.hann, length: 1_024).equivalentNoiseBandwidth - 1.5) < 1e-4)
    #expect(abs(Window(.hamming, length: 1_024).equivalentNoiseBandwidth - 1.36) < 5e-3)
    #expect(abs(Window(.blackmanHarris, length: 1_024).equivalentNoiseBandwidth - 2.0) < 5e-3)
  }

  @Test func overlapAddIsConstantWhereItShould() {
    #expect(Window(.hann, length: 512).overlapAddDeviation(hop: 256) < 1e-6)
    #expect(Window(.hann, length: 512).overlapAddDeviation(hop: 128) < 1e-6)
    #expect(Window(.hamming, length: 512).overlapAddDeviation(hop: 256) < 1e-6)
    #expect(Window(.squareRootHann, length: 512).overlapAddDeviation(hop: 256, squared: true) < 1e-6)
    #expect(Window(.blackmanHarris, length: 512).overlapAddDeviation(hop: 128) < 1e-5)
    // And not elsewhere.
    #expect(Window(.hann, length: 512).overlapAddDeviation(hop: 400) > 0.1)
    #expect(Window(.squareRootHann, length: 512).overlapAddDeviation(hop: 256) > 0.1)
    #expect(Window(.hann, length: 512, symmetry: .symmetric).overlapAddDeviation(hop: 256) > 1e-4)
  }

  /// What a sine far off leaves in a bin is set by the window's side lobes.
  @Test func sideLobesAreWhereTheyShouldBe() throws {
    let far = try leakage(.blackmanHarris)
    #expect(far < -92)
    #expect(try leakage(.hamming) < -42)
    #expect(try leakage(.rectangular) > -60)
  }

  @Test func shortestWindowIsOne() {
    for shape in Window.Shape.allCases { #expect(Window(shape, length: 1)[0] == 1) }
  }

  @Test func applyingMultipliesAndAllocatesNothing() {
    let window = Window(.hann, length: 480)
    let samples = SampleBuffer(repeating: 2, count: 480)
    var weighted = SampleBuffer(repeating: 0, count: 480)
    var operations: Int? = 0
    for _ in 0..<2 {
      operations = heapOperations {
        var output = weighted.mutableSpan
        window.apply(to: samples.view, into: &output)
      }
    }
    #expect(operations == 0 || operations == nil)
    for index in 0..<480 { #expect(weighted[index] == 2 * window[index]) }
  }

  /// The level, in dB below the peak, of bins at least 6 away from a sine that lies between two bins.
  private func leakage(_ shape: Window.Shape) throws -> Float {
    let n = 1_024
    let window = Window(shape, length: n)
    let x = (0..<n).map { Float(sin(2 * .pi * 200.37 * Double($0) / Double(n))) * window[$0] }
    var transform = try PreferredRealFFT(length: n)
    let spectrum = forward(&transform, x)
    let magnitudes = (0...(n / 2)).map { hypot(spectrum[2 * $0], spectrum[2 * $0 + 1]) }
    let far = magnitudes.enumerated().filter { abs($0.offset - 200) > 6 }.map(\.element).max()!
    return 20 * log10(far / magnitudes.max()!)
  }
}
