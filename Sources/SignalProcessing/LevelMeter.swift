internal import CKernels
public import RealtimeCore

/// Measures how loud a signal is: a running RMS, and a peak that is held and then falls.
///
/// The result depends on the samples alone, not on how they were split into calls. NaN and infinities count as silence.
/// - Threads: any one at a time. Latency: none. Nothing is allocated.
public struct LevelMeter: Sendable, BitwiseCopyable {
  /// How the meter moves.
  public struct Settings: Sendable, Hashable {
    /// Time constant of the mean square, 1 to 10,000 ms. 300 ms is a VU meter's (IEC 60268-17).
    public var integrationMilliseconds: Float = 300
    /// How long a peak stays, 0 to 60,000 ms.
    public var peakHoldMilliseconds: Float = 500
    /// How fast the peak falls then, 0 to 1,000 dB/s. 11.8 dB/s is a peak programme meter's (IEC 60268-10 type I).
    public var peakFallDecibelsPerSecond: Float = 11.8

    /// A VU meter with a peak that is held for half a second.
    public init() {}
  }

  private let smoothing: Float
  private let holdSampleCount: Int
  private let fall: Float
  private var meanSquare: Float = 0
  private var heldPeak: Float = 0
  private var holdRemaining = 0
  /// Samples that were NaN or infinite, since the start.
  public private(set) var nonFiniteCount = 0

  /// A meter at silence; throws when a setting is outside its limits.
  public init(sampleRate: SampleRate, settings: Settings = Settings()) throws(SignalProcessingError) {
    try SignalProcessingError.check(settings.integrationMilliseconds, 1, 10_000)
    try SignalProcessingError.check(settings.peakHoldMilliseconds, 0, 60_000)
    try SignalProcessingError.check(settings.peakFallDecibelsPerSecond, 0, 1_000)
    let rate = Float(sampleRate.hertz)
    smoothing = -antiphon_expm1f(-1_000 / (settings.integrationMilliseconds * rate))
    holdSampleCount = Int(settings.peakHoldMilliseconds / 1_000 * rate)
    fall = Decibels.amplitude(-settings.peakFallDecibelsPerSecond / rate)
  }

  /// Takes in the next samples.
  @_noLocks
  public mutating func process(_ samples: borrowing SampleView) {
    var square = meanSquare
    var peak = heldPeak
    var hold = holdRemaining
    for index in 0..<samples.count {
      var magnitude = samples[index].magnitude
      if !(magnitude <= Self.largestMagnitude) {
        nonFiniteCount &+= magnitude.isFinite ? 0 : 1
        magnitude = magnitude.isFinite ? Self.largestMagnitude : 0
      }
      square += smoothing * (magnitude * magnitude - square)
      if magnitude >= peak {
        peak = magnitude
        hold = holdSampleCount
      } else if hold > 0 {
        hold &-= 1
      } else {
        peak *= fall
      }
    }
    // Below -200 dBFS the recursions end, lest they crawl through denormal numbers.
    meanSquare = square < 1e-20 ? 0 : square
    heldPeak = peak < 1e-10 ? 0 : peak
    holdRemaining = hold
  }

  /// As `process` for views.
  public mutating func process(_ samples: Span<Float>) { process(SampleView(samples)) }

  /// Running root mean square; a full-scale sine reads 0.707.
  public var rms: Float { @_noLocks get { antiphon_sqrtf(meanSquare) } }
  /// `rms` in dBFS; a full-scale sine reads -3.01, silence `Decibels.floor`.
  public var rmsDecibels: Float { @_noLocks get { Decibels.of(power: meanSquare) } }
  /// The largest magnitude, held, then falling.
  public var peak: Float { @_noLocks get { heldPeak } }
  /// `peak` in dBFS; a full-scale sine reads 0.
  public var peakDecibels: Float { @_noLocks get { Decibels.of(amplitude: heldPeak) } }

  /// Forgets all samples.
  @_noLocks
  public mutating func reset() {
    meanSquare = 0
    heldPeak = 0
    holdRemaining = 0
    nonFiniteCount = 0
  }

  /// Larger magnitudes count as this one, whose square is still far from the largest float.
  private static var largestMagnitude: Float { @_noLocks get { 1e6 } }
}

extension SignalProcessingError {
  /// Throws when a setting is outside its limits, or NaN.
  static func check(_ value: Float, _ lowest: Float, _ highest: Float) throws(SignalProcessingError) {
    guard value >= lowest, value <= highest else {
      throw .unsupportedSetting(value, lowest: lowest, highest: highest)
    }
  }
}
