internal import Foundation
public import RealtimeCore

/// Weights that fade a stretch of signal in and out before a transform (Harris 1978).
///
/// - Threads: `init` off the audio thread; use on any.
/// - Memory: 4 bytes a sample.
public struct Window: ~Copyable, Sendable {
  /// The curve; in brackets its highest side lobe.
  public enum Shape: Sendable, CaseIterable {
    /// All ones (-13 dB).
    case rectangular
    /// Raised cosine (-31 dB).
    case hann
    /// Raised cosine on a step of 0.08 (-43 dB).
    case hamming
    /// Four cosine terms (-92 dB).
    case blackmanHarris
    /// Root of Hann (-23 dB): used before and after the transform, the two make a Hann window.
    case squareRootHann
  }

  /// Where the curve would come back to its first value.
  public enum Symmetry: Sendable {
    /// After the last sample: for spectra and for overlap-add.
    case periodic
    /// At the last sample: for filter design.
    case symmetric
  }

  /// The curve.
  public let shape: Shape
  private let coefficients: SampleBuffer
  /// Sum of the coefficients: the spectrum of a sine on a bin is amplitude · `sum` / 2.
  public let sum: Float
  /// Sum of the squared coefficients.
  public let energy: Float

  /// Computes `length` coefficients; traps below 1.
  public init(_ shape: Shape, length: Int, symmetry: Symmetry = .periodic) {
    precondition(length >= 1, "Window: length \(length) is below 1")
    let period = Double(symmetry == .periodic ? length : max(1, length - 1))
    var coefficients = SampleBuffer(repeating: 1, count: length)
    var sum = 0.0
    var energy = 0.0
    for index in 0..<length where length > 1 {
      let value = shape.value(at: Double(index) / period)
      coefficients[index] = Float(value)
    }
    for index in 0..<length {
      let value = Double(coefficients[index])
      sum += value
      energy += value * value
    }
    self.shape = shape
    self.coefficients = coefficients
    self.sum = Float(sum)
    self.energy = Float(energy)
  }

  /// Number of coefficients.
  public var length: Int { @_noLocks get { coefficients.count } }

  /// One coefficient; traps outside `0..<length`.
  public subscript(_ index: Int) -> Float { @_noLocks get { coefficients[index] } }

  /// How many bins wide a rectangular filter of the same peak would be that lets the same noise power through.
  public var equivalentNoiseBandwidth: Float { Float(length) * energy / (sum * sum) }

  /// Weights `samples`, of the window's length, into `weighted`.
  @_noLocks
  public func apply(to samples: borrowing SampleView, into weighted: inout MutableSpan<Float>) {
    Kernel.multiply(samples, coefficients.view, into: &weighted)
  }

  /// As `apply(to:into:)` for views.
  public func apply(to samples: Span<Float>, into weighted: inout MutableSpan<Float>) {
    apply(to: SampleView(samples), into: &weighted)
  }

  /// How far copies of the window (`squared`: of its square) at steps of `hop` are from adding up to a constant:
  /// the largest deviation over the mean. 0 means constant overlap-add; off the audio thread.
  public func overlapAddDeviation(hop: Int, squared: Bool = false) -> Float {
    precondition((1...length).contains(hop), "Window: hop \(hop) is outside 1 to \(length)")
    var sums = [Double](repeating: 0, count: hop)
    for index in 0..<length {
      let value = Double(coefficients[index])
      sums[index % hop] += squared ? value * value : value
    }
    let mean = sums.reduce(0, +) / Double(hop)
    return Float(sums.reduce(0) { max($0, abs($1 - mean)) } / mean)
  }
}

extension Window.Shape {
  /// The curve at `x` of its period, 0...1.
  fileprivate func value(at x: Double) -> Double {
    let turn = 2 * Double.pi * x
    return switch self {
    case .rectangular: 1
    case .hann: 0.5 - 0.5 * cos(turn)
    case .hamming: 0.54 - 0.46 * cos(turn)
    case .blackmanHarris: 0.35875 - 0.48829 * cos(turn) + 0.14128 * cos(2 * turn) - 0.01168 * cos(3 * turn)
    case .squareRootHann: sin(turn / 2)
    }
  }
}
