internal import CKernels
internal import RealtimeCore

/// The spectrum in 28 bands as the suppressor sees it, and the measures from which it tells echo from near end.
///
/// Bands are 94 Hz wide up to 1 kHz and a sixth of an octave above. All measures are ratios, so the level does not matter.
/// `features` holds one row of `laneCount` bands per measure, in the order in which `NearEndMask` was trained.
struct EchoBands: ~Copyable {
  /// Bands.
  static var count: Int { @_noLocks get { 28 } }
  /// Places of a row: whole vectors.
  static var laneCount: Int { @_noLocks get { 32 } }
  /// Rows.
  static var featureCount: Int { @_noLocks get { 24 } }

  /// The measures; see `note` and `pool`.
  private(set) var features: SampleBuffer
  /// The background noise per bin, by band.
  private(set) var noise: SampleBuffer
  /// The first bin of each band, of a transform of 512 at 16 kHz, and the end of the last.
  private(set) var edges: FixedBuffer<Int>

  private var residue: SampleBuffer
  private var echo: SampleBuffer
  private var crossReal: SampleBuffer
  private var crossImaginary: SampleBuffer
  private var expected: SampleBuffer
  private var lastExpected: SampleBuffer
  private var tail: SampleBuffer
  private var leakage: SampleBuffer
  private var smooth: SampleBuffer
  private var floor = NoiseFloorTracker(bandCount: EchoBands.count)
  private var surplus: SampleBuffer
  private var held: SampleBuffer
  private var local: SampleBuffer
  private var pooled: Float = 0
  private var slowlyPooled: Float = 0

  init() {
    let lanes = Self.laneCount
    features = SampleBuffer(repeating: 0, count: Self.featureCount * lanes)
    noise = SampleBuffer(repeating: 1e-6, count: lanes)
    edges = FixedBuffer(repeating: 0, count: Self.count + 1)
    residue = SampleBuffer(repeating: 0, count: lanes)
    echo = SampleBuffer(repeating: 0, count: lanes)
    crossReal = SampleBuffer(repeating: 0, count: lanes)
    crossImaginary = SampleBuffer(repeating: 0, count: lanes)
    expected = SampleBuffer(repeating: 0, count: lanes)
    lastExpected = SampleBuffer(repeating: 0, count: lanes)
    tail = SampleBuffer(repeating: 0, count: lanes)
    leakage = SampleBuffer(repeating: 0.1, count: lanes)
    smooth = SampleBuffer(repeating: 0, count: 7 * lanes)
    surplus = SampleBuffer(repeating: 0, count: lanes)
    held = SampleBuffer(repeating: 0, count: lanes)
    local = SampleBuffer(repeating: 0, count: lanes)
    edges[0] = 1
    for band in 0..<Self.count {
      let first = edges[band]
      var next = min(256, first + max(3, Int((Float(first) * 0.1225).rounded())))
      if band == Self.count - 1 { next = 256 }
      edges[band + 1] = next
    }
  }

  /// Measures a frame.
  /// - Parameters:
  ///   - residue: spectrum of what the linear stage left, transform length 512.
  ///   - echo: spectrum of what it took away.
  ///   - expectedError: what the filter expects to be left, 129 bins of half the resolution.
  ///   - learns: whether the far end is audible, so that the echo's leakage can be observed.
  @_noLocks
  mutating func measure(
    residue residueSpectrum: borrowing SampleBuffer, echo echoSpectrum: borrowing SampleBuffer,
    expectedError: borrowing SampleBuffer, learns: Bool
  ) {
    for band in 0..<Self.count {
      var (left, taken, real, imaginary, error) = (Float(1e-12), Float(0), Float(0), Float(0), Float(0))
      for bin in edges[band]..<edges[band &+ 1] {
        let (er, ei) = (residueSpectrum[2 &* bin], residueSpectrum[2 &* bin &+ 1])
        let (yr, yi) = (echoSpectrum[2 &* bin], echoSpectrum[2 &* bin &+ 1])
        left += er * er + ei * ei
        taken += yr * yr + yi * yi
        real += er * yr + ei * yi
        imaginary += ei * yr - er * yi
        error += expectedError[(bin &+ 1) / 2]
      }
      (residue[band], echo[band], crossReal[band], crossImaginary[band]) = (left, taken, real, imaginary)
      expected[band] = 0.5 * (error + lastExpected[band])
      lastExpected[band] = error
    }
    floor.track(residue, edges, into: &noise)
    for band in 0..<Self.count { note(band, learns: learns) }
    pool()
  }

  /// Rows 0...9, 18...20 and 23: what one band tells.
  @_noLocks
  private mutating func note(_ band: Int, learns: Bool) {
    let (left, taken, error) = (residue[band], echo[band], expected[band])
    let background = noise[band] * Float(edges[band &+ 1] &- edges[band])
    // Late reverberation goes on after the modelled echo has ended.
    tail[band] = max(taken, 0.7 * tail[band]) + 1e-20
    let reverberant = tail[band]
    let microphone = max(0, left + taken + 2 * crossReal[band])
    set(0, band, ratio(left, error))
    set(1, band, ratio(left, reverberant))
    set(2, band, ratio(microphone, left))
    set(3, band, ratio(left, background))
    set(4, band, ratio(reverberant, background))
    noteCoherence(band, left, taken, microphone)
    set(7, band, smoothed(5, band, feature(0, band)))
    set(8, band, smoothed(6, band, feature(1, band)))
    let excess = ratio(left, max(error, leakage[band] * reverberant) + 1.5 * background)
    surplus[band] = excess
    set(9, band, excess)
    set(18, band, Float(band) / Float(Self.count))
    held[band] = max(excess, 0.97 * held[band])
    set(19, band, held[band])
    set(20, band, ratio(error, reverberant))
    set(23, band, ratio(leakage[band], 1))
    if learns && reverberant > 4 * background { learnLeakage(band, left > leakage[band] * reverberant) }
  }

  /// Rows 5 and 6: the coherence of residue and echo, and of microphone and echo, over 45 ms.
  @_noLocks
  private mutating func noteCoherence(_ band: Int, _ left: Float, _ taken: Float, _ microphone: Float) {
    let residuePower = smoothed(0, band, left)
    let echoPower = smoothed(1, band, taken)
    let microphonePower = smoothed(2, band, microphone)
    let real = smoothed(3, band, crossReal[band])
    let imaginary = smoothed(4, band, crossImaginary[band])
    set(5, band, (real * real + imaginary * imaginary) / (residuePower * echoPower + 1e-20))
    let whole = real + echoPower  // ⟨d, y⟩ = ⟨e, y⟩ + ⟨y, y⟩
    set(6, band, (whole * whole + imaginary * imaginary) / (microphonePower * echoPower + 1e-20))
  }

  /// Follows the 0.8 quantile of what is left of the echo, slowly while the near end seems to speak.
  @_noLocks
  private mutating func learnLeakage(_ band: Int, _ isMore: Bool) {
    let speed: Float = pooled < 0.12 ? 0.05 : 0.005
    let next = leakage[band] * (isMore ? 1 + 0.8 * speed : 1 - 0.2 * speed)
    leakage[band] = min(4, max(1e-5, next))
  }

  /// Rows 10...17, 21 and 22: what the neighbours and all bands tell.
  @_noLocks
  private mutating func pool() {
    var (sum, low, middle) = (Float(0), Float(0), Float(0))
    var (lowCount, middleCount) = (Float(0), Float(0))
    for band in 0..<Self.count {
      let limited = min(1.5, max(-0.5, surplus[band]))
      let first = edges[band]
      sum += limited
      if first >= 9 && first < 32 { (low, lowCount) = (low + limited, lowCount + 1) }
      if first >= 32 && first < 128 { (middle, middleCount) = (middle + limited, middleCount + 1) }
    }
    let mean = sum / Float(Self.count)
    pooled = 0.8 * pooled + 0.2 * mean
    slowlyPooled = 0.95 * slowlyPooled + 0.05 * mean
    for band in 0..<Self.count {
      set(10, band, neighbour(band &- 2))
      set(11, band, neighbour(band &- 1))
      set(12, band, neighbour(band &+ 1))
      set(13, band, neighbour(band &+ 2))
      set(14, band, mean)
      set(15, band, pooled)
      set(16, band, slowlyPooled)
      var around: Float = 0
      for offset in -4...4 { around += neighbour(band &+ offset) }
      local[band] = 0.8 * local[band] + 0.2 * around / 9
      set(17, band, local[band])
      set(21, band, low / lowCount)
      set(22, band, middle / middleCount)
    }
  }

  @_noLocks
  private func neighbour(_ band: Int) -> Float { surplus[min(Self.count &- 1, max(0, band))] }

  @_noLocks
  private mutating func set(_ row: Int, _ band: Int, _ value: Float) { features[row &* Self.laneCount &+ band] = value }

  @_noLocks
  private func feature(_ row: Int, _ band: Int) -> Float { features[row &* Self.laneCount &+ band] }

  @_noLocks
  private mutating func smoothed(_ row: Int, _ band: Int, _ value: Float) -> Float {
    let place = row &* Self.laneCount &+ band
    let next = 0.8 * smooth[place] + 0.2 * value
    // Below this nothing is told apart; kept there, decaying sums never become denormal.
    smooth[place] = next.magnitude < 1e-20 ? 0 : next
    return next
  }

  /// In bels, limited to ±3.
  @_noLocks
  private func ratio(_ power: Float, _ other: Float) -> Float {
    min(3, max(-3, antiphon_log10f((power + 1e-12) / (other + 1e-12))))
  }
}
