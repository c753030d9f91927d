internal import CKernels
internal import Foundation
public import RealtimeCore

/// The built-in transform, without any library: split radix in conjugate-pair form, vectorised by hand.
///
/// Lengths: powers of two from 32 to 65,536. The method and its papers are told in `split_radix_loops.h`; this type
/// makes and owns the tables.
/// - Threads: as `RealFFT`.
/// - Memory: about 20 bytes a sample.
@safe  // C sees only the buffers below, at the sizes that `init` gave them
public struct SplitRadixRealFFT: RealFFT, ~Copyable, Sendable {
  /// Samples in, or out of, a transform.
  public let length: Int
  private let leaves: SplitRadixLeaves
  private let twiddles: SampleBuffer
  private let splitTwiddles: SampleBuffer
  private var real: SampleBuffer
  private var imaginary: SampleBuffer
  private var packed: SampleBuffer
  /// Uses the instructions that every processor of this architecture has, to test and time what other machines run.
  package var usesBaseline = false

  /// Makes tables for `length` samples: a power of two from 32 to 65,536.
  public init(length: Int) throws(SignalProcessingError) {
    guard length >= 32, length <= 65_536, length.nonzeroBitCount == 1 else {
      throw .unsupportedTransformLength(length, lowest: 32, highest: 65_536)
    }
    self.length = length
    let points = length / 2
    leaves = SplitRadixLeaves(points: points)
    twiddles = Self.joinTwiddles(points: points)
    splitTwiddles = Self.splitTwiddles(length: length)
    real = SampleBuffer(repeating: 0, count: points + SplitRadixLeaves.idleCount)
    imaginary = SampleBuffer(repeating: 0, count: points + SplitRadixLeaves.idleCount)
    packed = SampleBuffer(repeating: 0, count: length)
  }

  /// See `RealFFT`; any alignment.
  @_noLocks
  public mutating func forward(_ samples: borrowing SampleView, into spectrum: inout MutableSpan<Float>) {
    let outputCount = spectrum.count
    precondition(samples.count == length && outputCount == length + 2)
    var plan = unsafe plan()
    if usesBaseline {
      unsafe antiphon_baseline_fft_forward(&plan, samples.pointer, spectrum.mutablePointer)
    } else {
      unsafe antiphon_fft_forward(&plan, samples.pointer, spectrum.mutablePointer)
    }
  }

  /// See `RealFFT`; any alignment.
  @_noLocks
  public mutating func inverse(_ spectrum: borrowing SampleView, into samples: inout MutableSpan<Float>) {
    let outputCount = samples.count
    precondition(spectrum.count == length + 2 && outputCount == length)
    var plan = unsafe plan()
    if usesBaseline {
      unsafe antiphon_baseline_fft_inverse(&plan, spectrum.pointer, samples.mutablePointer)
    } else {
      unsafe antiphon_fft_inverse(&plan, spectrum.pointer, samples.mutablePointer)
    }
  }

  @unsafe
  @_noLocks
  private mutating func plan() -> antiphon_fft_plan {
    unsafe antiphon_fft_plan(
      length: Int32(truncatingIfNeeded: length), batches16: leaves.batches16, batches8: leaves.batches8,
      sources: leaves.sources.view.pointer, targets: leaves.targets.view.pointer,
      twiddles: twiddles.view.pointer, split_twiddles: splitTwiddles.view.pointer,
      real: real.mutablePointer, imaginary: imaginary.mutablePointer, packed: packed.mutablePointer)
  }

  /// For each size N, N/2, ... 32: cos and sin of 2πk/size for k < size/4, by turns in groups of eight.
  private static func joinTwiddles(points: Int) -> SampleBuffer {
    var table = SampleBuffer(repeating: 0, count: max(1, points))
    var start = 0
    var size = points
    while size >= 32 {
      for k in 0..<(size / 4) {
        let angle = 2 * Double.pi * Double(k) / Double(size)
        let place = start + k / 8 * 16 + k % 8
        table[place] = Float(cos(angle))
        table[place + 8] = Float(sin(angle))
      }
      start += size / 2
      size /= 2
    }
    return table
  }

  /// cos(2πk/n) for k = 1...n/4, then the sines.
  private static func splitTwiddles(length: Int) -> SampleBuffer {
    let half = length / 4
    var table = SampleBuffer(repeating: 0, count: 2 * half)
    for k in 1...half {
      let angle = 2 * Double.pi * Double(k) / Double(length)
      table[k - 1] = Float(cos(angle))
      table[half + k - 1] = Float(sin(angle))
    }
    return table
  }
}
