internal import CKernels
internal import RealtimeCore
internal import SignalProcessing

/// Finds how much later than the far end its echo arrives, up to 640 ms, without being told.
///
/// Smoothed cross-spectra of the microphone with 64 stretches of the far end are whitened and transformed back; the
/// largest magnitude over all lags is the echo's direct path. An eighth of them is looked at in each block.
/// - Source: the generalized cross-correlation of Knapp & Carter, "The generalized correlation method for estimation of
///   time delay", IEEE Trans. ASSP 24 (1976), weighted by both power spectra (SCOT, their table I). Differs: powers and
///   cross-spectra are smoothed over 330 ms, and only 190 Hz to 4 kHz count.
struct EchoDelayEstimator: ~Copyable {
  /// The lag in use, in samples at 16 kHz; `nil` until an echo was found.
  private(set) var lag: Int?

  private var crossSpectra: SampleBuffer
  private var farPower: SampleBuffer
  private var nearPower: SampleBuffer
  private var weights: SampleBuffer
  private var nearSpectrum: SampleBuffer
  private var samples: SampleBuffer
  private var spectrum: SampleBuffer
  private var correlation: SampleBuffer
  private var fft: PreferredRealFFT
  private var shortFFT: PreferredRealFFT

  private var phase = 0
  private var best: Float = 0
  private var bestLag = 0
  private var squares: Float = 0
  private var magnitudeInUse: Float = 0
  private var candidate = 0
  private var agreement = 0
  private var agreementNeeded = 4

  init() throws(EchoError) {
    let fft = try EchoTransform.make(length: EchoBlock.transformLength)
    let shortFFT = try EchoTransform.make(length: Self.shortLength)
    self.fft = fft
    self.shortFFT = shortFFT
    crossSpectra = SampleBuffer(repeating: 0, count: Self.stretchCount * Self.width)
    farPower = SampleBuffer(repeating: 0, count: Self.binEnd)
    nearPower = SampleBuffer(repeating: 0, count: Self.binEnd)
    weights = SampleBuffer(repeating: 0, count: Self.width)
    nearSpectrum = SampleBuffer(repeating: 0, count: EchoBlock.spectrumStride)
    samples = SampleBuffer(repeating: 0, count: EchoBlock.transformLength)
    spectrum = SampleBuffer(repeating: 0, count: Self.shortLength + 2)
    correlation = SampleBuffer(repeating: 0, count: Self.shortLength)
  }

  /// Takes a block of the microphone; `farEnd` already holds the far end's.
  /// - Parameter mayMove: whether the far end tells enough just now to trust a lag other than the one in use.
  /// - Returns: whether `lag` was found or has moved by more than a few samples.
  @_noLocks
  mutating func process(
    _ microphone: borrowing SampleView, farEnd: borrowing FarEndHistory, mayMove: Bool
  ) -> Bool {
    if farEnd.loudest(from: 0, count: 2 &* Self.stretchCount) > Self.quietest { accumulate(microphone, farEnd) }
    if phase == 0 { (best, bestLag, squares, magnitudeInUse) = (0, 0, 0, 0) }
    weigh()
    for stretch in phase &* 8..<(phase &+ 1) &* 8 { look(at: stretch) }
    phase = (phase &+ 1) & 7
    return phase == 0 && decide(mayMove)
  }

  /// Gives older observations less weight and moves more readily, as when the echo path seems to have changed.
  @_noLocks
  mutating func doubt() {
    agreementNeeded = 2
    for index in 0..<crossSpectra.count { crossSpectra[index] *= 0.5 }
    for index in 0..<Self.binEnd {
      farPower[index] *= 0.5
      nearPower[index] *= 0.5
    }
  }

  /// Forgets everything.
  @_noLocks
  mutating func reset() {
    lag = nil
    crossSpectra.fill(0..<crossSpectra.count, with: 0)
    farPower.fill(0..<Self.binEnd, with: 0)
    nearPower.fill(0..<Self.binEnd, with: 0)
    (phase, agreement, candidate) = (0, 0, 0)
    agreementNeeded = 4
  }

  @_noLocks
  private mutating func accumulate(_ microphone: borrowing SampleView, _ farEnd: borrowing FarEndHistory) {
    let (hop, length) = (EchoBlock.sampleCount, EchoBlock.transformLength)
    samples.fill(0..<length &- hop, with: 0)
    samples.copy(microphone, to: length &- hop)
    EchoTransform.forward(&fft, samples, into: &nearSpectrum)
    for index in 0..<nearSpectrum.count { nearSpectrum[index] *= 1 - Self.memory }
    Self.addPower(of: nearSpectrum, farEnd.power(blocksAgo: 0), &nearPower, &farPower)
    Self.addCrossSpectra(of: nearSpectrum, farEnd, &crossSpectra)
  }

  @_noLocks
  private static func addCrossSpectra(
    of near: borrowing SampleBuffer, _ farEnd: borrowing FarEndHistory, _ crossSpectra: inout SampleBuffer
  ) {
    var all = crossSpectra.mutableSpan
    Kernel.scale(&all, by: memory)
    let bins = 2 &* binStart..<2 &* binEnd
    for stretch in 0..<stretchCount {
      var sum = all.part(stretch &* width..<(stretch &+ 1) &* width)
      Kernel.complexConjugateMultiplyAccumulate(
        farEnd.spectrum(blocksAgo: 2 &* stretch).extracting(bins), near.view(bins), into: &sum)
    }
  }

  /// `near` is already weighted by 1 - memory.
  @_noLocks
  private static func addPower(
    of near: borrowing SampleBuffer, _ far: borrowing SampleView, _ nearPower: inout SampleBuffer,
    _ farPower: inout SampleBuffer
  ) {
    for bin in binStart..<binEnd {
      let power = near[2 &* bin] * near[2 &* bin] + near[2 &* bin &+ 1] * near[2 &* bin &+ 1]
      nearPower[bin] = memory * nearPower[bin] + power / (1 - memory) + 1e-20
      farPower[bin] = memory * farPower[bin] + (1 - memory) * far[bin] + 1e-20
    }
  }

  @_noLocks
  private mutating func weigh() {
    for bin in Self.binStart..<Self.binEnd {
      let weight = 1 / antiphon_sqrtf(farPower[bin] * nearPower[bin] + 1e-20)
      weights[2 &* (bin &- Self.binStart)] = weight
      weights[2 &* (bin &- Self.binStart) &+ 1] = weight
    }
  }

  /// The correlation over 160 lags at half the rate: bins up to 4 kHz suffice for a filter that starts 10 ms earlier.
  @_noLocks
  private mutating func look(at stretch: Int) {
    Self.whiten(crossSpectra, at: stretch &* Self.width, weights, into: &spectrum)
    EchoTransform.inverse(&shortFFT, spectrum, into: &correlation)
    let count = EchoBlock.partitionSampleCount / 2
    squares += Kernel.energy(correlation.view(0..<count))
    let first = stretch &* EchoBlock.partitionSampleCount
    if let lag {
      let (low, high) = (max(0, (lag &- 24 &- first) / 2), min(count, (lag &+ 26 &- first) / 2))
      if low < high { magnitudeInUse = max(magnitudeInUse, Kernel.peak(correlation.view(low..<high))) }
    }
    guard Kernel.peak(correlation.view(0..<count)) > best else { return }
    for index in 0..<count where correlation[index].magnitude > best {
      (best, bestLag) = (correlation[index].magnitude, first &+ 2 &* index)
    }
  }

  /// The bins outside `width` stay 0.
  @_noLocks
  private static func whiten(
    _ crossSpectra: borrowing SampleBuffer, at start: Int, _ weights: borrowing SampleBuffer,
    into spectrum: inout SampleBuffer
  ) {
    var target = spectrum.mutableSpan(2 &* binStart..<2 &* binEnd)
    Kernel.multiply(crossSpectra.view(start..<start &+ width), weights.view, into: &target)
  }

  @_noLocks
  private mutating func decide(_ mayMove: Bool) -> Bool {
    let lagCount = Float(Self.stretchCount &* EchoBlock.partitionSampleCount / 2)
    let confidence = best / (antiphon_sqrtf(squares / lagCount) + 1e-20)
    guard confidence > Self.leastConfidence else {
      agreement = 0
      return false
    }
    if let inUse = lag, (bestLag &- inUse).magnitude < 40 {
      agreement = 0
      agreementNeeded = 4
      lag = bestLag
      return false
    }
    agreement = (bestLag &- candidate).magnitude <= 24 ? agreement &+ 1 : 1
    candidate = bestLag
    let isSure =
      lag == nil
      ? agreement >= 3 && confidence > Self.firstConfidence
      : agreement >= (confidence > Self.plainConfidence ? agreementNeeded : 4) && confidence > Self.moveConfidence
        && best > 1.6 * magnitudeInUse && mayMove
    guard isSure else { return false }
    lag = bestLag
    (agreement, agreementNeeded) = (0, 4)
    return true
  }

  private static var stretchCount: Int { @_noLocks get { 64 } }
  private static var shortLength: Int { @_noLocks get { 128 } }
  /// 190 Hz: below it loudspeakers are silent and rooms hum.
  private static var binStart: Int { @_noLocks get { 3 } }
  private static var binEnd: Int { @_noLocks get { 64 } }
  private static var width: Int { @_noLocks get { 122 } }
  /// Per block; 330 ms.
  private static var memory: Float { @_noLocks get { 0.985 } }
  /// -70 dBFS.
  private static var quietest: Float { @_noLocks get { 1e-7 } }
  /// Peak over root mean square: echoes of rooms give 20 to 40, unrelated speech up to 16 for a moment.
  private static var leastConfidence: Float { @_noLocks get { 9 } }
  private static var firstConfidence: Float { @_noLocks get { 12 } }
  private static var plainConfidence: Float { @_noLocks get { 20 } }
  private static var moveConfidence: Float { @_noLocks get { 14 } }
}
