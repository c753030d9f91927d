internal import CKernels
public import RealtimeCore

/// The few loops that use most of a call's time, in the version for this processor.
///
/// Each function traps when the sizes of its arguments do not match. Complex spectra are interleaved as in `RealFFT`.
/// - Threads: any. Nothing is allocated.
public enum Kernel {
  /// Sum of a[i] · b[i].
  @_noLocks
  public static func dot(_ a: borrowing SampleView, _ b: borrowing SampleView) -> Float {
    precondition(a.count == b.count)
    return unsafe antiphon_dot(a.pointer, b.pointer, a.count)
  }

  /// Sum of x[i]².
  @_noLocks
  public static func energy(_ x: borrowing SampleView) -> Float {
    unsafe antiphon_energy(x.pointer, x.count)
  }

  /// Largest magnitude; 0 when empty. NaN counts as 0.
  @_noLocks
  public static func peak(_ x: borrowing SampleView) -> Float {
    unsafe antiphon_peak(x.pointer, x.count)
  }

  /// Multiplies each sample by `gain`.
  @_noLocks
  public static func scale(_ x: inout MutableSpan<Float>, by gain: Float) {
    let count = x.count
    unsafe antiphon_scale(x.mutablePointer, gain, count)
  }

  /// Adds `gain` times `x` to `sum`.
  @_noLocks
  public static func mix(_ x: borrowing SampleView, gain: Float = 1, into sum: inout MutableSpan<Float>) {
    let count = sum.count
    precondition(x.count == count)
    unsafe antiphon_mix(sum.mutablePointer, x.pointer, gain, count)
  }

  /// product[i] = a[i] · b[i].
  @_noLocks
  public static func multiply(
    _ a: borrowing SampleView, _ b: borrowing SampleView, into product: inout MutableSpan<Float>
  ) {
    let count = product.count
    precondition(a.count == count && b.count == count)
    unsafe antiphon_multiply(product.mutablePointer, a.pointer, b.pointer, count)
  }

  /// sum[k] += a[k] · b[k], complex.
  @_noLocks
  public static func complexMultiplyAccumulate(
    _ a: borrowing SampleView, _ b: borrowing SampleView, into sum: inout MutableSpan<Float>
  ) {
    let count = sum.count
    precondition(a.count == count && b.count == count && count.isMultiple(of: 2))
    unsafe antiphon_complex_multiply_accumulate(sum.mutablePointer, a.pointer, b.pointer, count / 2)
  }

  /// sum[k] += conj(a[k]) · b[k], complex: a cross spectrum, or the gradient of an adaptive filter.
  @_noLocks
  public static func complexConjugateMultiplyAccumulate(
    _ a: borrowing SampleView, _ b: borrowing SampleView, into sum: inout MutableSpan<Float>
  ) {
    let count = sum.count
    precondition(a.count == count && b.count == count && count.isMultiple(of: 2))
    unsafe antiphon_complex_conjugate_multiply_accumulate(sum.mutablePointer, a.pointer, b.pointer, count / 2)
  }

  /// power[k] = |spectrum[k]|².
  @_noLocks
  public static func power(of spectrum: borrowing SampleView, into power: inout MutableSpan<Float>) {
    let count = power.count
    precondition(spectrum.count == 2 * count)
    unsafe antiphon_power_spectrum(power.mutablePointer, spectrum.pointer, count)
  }

  /// Replaces NaN and infinities by 0 and limits the others to -limit...limit. Returns how many were not finite.
  @discardableResult
  @_noLocks
  public static func sanitize(_ x: inout MutableSpan<Float>, limit: Float = 1e6) -> Int {
    let count = x.count
    return unsafe antiphon_sanitize(x.mutablePointer, limit, count)
  }

  /// pcm[i] = x[i] · 32768, rounded to the nearest (halves to even) and limited to 16 bits; NaN becomes 0.
  @_noLocks
  public static func convert(_ x: borrowing SampleView, into pcm: inout MutableSpan<Int16>) {
    let count = pcm.count
    precondition(x.count == count)
    unsafe antiphon_int16_from_float(pcm.mutablePointer, x.pointer, count)
  }

  /// x[i] = pcm[i] / 32768, exact.
  @_noLocks
  public static func convert(_ pcm: borrowing BufferView<Int16>, into x: inout MutableSpan<Float>) {
    let count = x.count
    precondition(pcm.count == count)
    unsafe antiphon_float_from_int16(x.mutablePointer, pcm.pointer, count)
  }
}
