internal import CKernels

/// Conversions between linear quantities and decibels relative to full scale (dBFS).
///
/// 0 dBFS is the power of a constant 1, so a full-scale sine has -3.01 dBFS. Silence, and anything below, reads `floor`:
/// results are always finite.
/// - Threads: any.
public enum Decibels {
  /// What silence reads: -200 dBFS, far below the last bit of 24-bit audio.
  @inlinable public static var floor: Float { @_noLocks get { -200 } }

  /// 10·log₁₀ of a power (mean square); NaN reads `floor`.
  @_noLocks
  public static func of(power: Float) -> Float {
    guard power > 1e-20 else { return floor }
    return 10 * antiphon_log10f(power < 1e30 ? power : 1e30)
  }

  /// 20·log₁₀ of an amplitude (RMS or peak); NaN reads `floor`.
  @_noLocks
  public static func of(amplitude: Float) -> Float {
    guard amplitude > 1e-10 else { return floor }
    return 20 * antiphon_log10f(amplitude < 1e15 ? amplitude : 1e15)
  }

  /// The amplitude factor of a gain in dB.
  @_noLocks
  public static func amplitude(_ decibels: Float) -> Float { antiphon_powf(10, decibels / 20) }

  /// The power factor of a gain in dB.
  @_noLocks
  public static func power(_ decibels: Float) -> Float { antiphon_powf(10, decibels / 10) }
}
