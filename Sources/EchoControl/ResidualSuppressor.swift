internal import CKernels
internal import RealtimeCore
internal import SignalProcessing

/// Turns down what the linear stage left of the echo, and puts back the background noise that goes with it.
///
/// Windows of 20 ms, square-root Hann before and after, overlapping by half: the output lies 10 ms behind. While the far
/// end is silent the samples pass as they are.
struct ResidualSuppressor: ~Copyable {
  /// The gain of the upper half of the band in the newest frame, for bands above it.
  private(set) var upperGain: Float = 1

  private let smallestGain: Float
  private var bands = EchoBands()
  private var mask = NearEndMask()
  private let window: SampleBuffer
  private var residue: SampleBuffer
  private var echo: SampleBuffer
  private var samples: SampleBuffer
  private var residueSpectrum: SampleBuffer
  private var echoSpectrum: SampleBuffer
  private var bandGains: SampleBuffer
  private var overlap: SampleBuffer
  private var fft: PreferredRealFFT
  private var seed: UInt32 = 1
  private var untouchedFrames = 2

  /// - Parameter attenuation: the most by which a band is turned down, in dB.
  init(attenuation: Int) throws(EchoError) {
    fft = try EchoTransform.make(length: Self.transformLength)
    smallestGain = antiphon_powf(10, -Float(attenuation) / 20)
    let length = Self.windowLength
    var window = SampleBuffer(repeating: 0, count: length)
    for index in 0..<length { window[index] = antiphon_sinf(.pi * (Float(index) + 0.5) / Float(length)) }
    self.window = window
    residue = SampleBuffer(repeating: 0, count: length)
    echo = SampleBuffer(repeating: 0, count: length)
    samples = SampleBuffer(repeating: 0, count: Self.transformLength)
    residueSpectrum = SampleBuffer(repeating: 0, count: Self.transformLength + 2)
    echoSpectrum = SampleBuffer(repeating: 0, count: Self.transformLength + 2)
    bandGains = SampleBuffer(repeating: 1, count: EchoBands.laneCount)
    overlap = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
  }

  /// Cleans the frame before the one that `linear` holds now.
  /// - Parameters:
  ///   - isClosed: whether the echo's path is not known yet and everything is to be turned down.
  ///   - isOpen: whether everything is to pass as it is.
  @_noLocks
  mutating func process(
    _ linear: borrowing LinearEchoStage, isClosed: Bool, isOpen: Bool, into frame: inout SampleBuffer
  ) {
    let hop = EchoBlock.frameSampleCount
    residue.move(hop..<2 &* hop, to: 0)
    residue.copy(linear.output, to: hop)
    echo.move(hop..<2 &* hop, to: 0)
    echo.copy(linear.echo, to: hop)
    analyse(linear)
    let touches = (linear.isActive && !isOpen) || isClosed
    if touches { shape(isClosed: isClosed) } else { upperGain = 1 }
    synthesise(into: &frame)
    untouchedFrames = touches ? 0 : min(2, untouchedFrames &+ 1)
    if untouchedFrames == 2 { frame.copy(residue.view(0..<hop), to: 0) }
  }

  /// Forgets what was heard.
  @_noLocks
  mutating func reset() {
    residue.fill(0..<residue.count, with: 0)
    echo.fill(0..<echo.count, with: 0)
    overlap.fill(0..<overlap.count, with: 0)
    mask.reset()
  }

  @_noLocks
  private mutating func analyse(_ linear: borrowing LinearEchoStage) {
    transform(isEcho: true)
    EchoTransform.forward(&fft, samples, into: &echoSpectrum)
    transform(isEcho: false)
    EchoTransform.forward(&fft, samples, into: &residueSpectrum)
    bands.measure(
      residue: residueSpectrum, echo: echoSpectrum, expectedError: linear.expectedError, learns: linear.isActive)
    mask.process(bands.features)
  }

  @_noLocks
  private mutating func transform(isEcho: Bool) {
    samples.fill(Self.windowLength..<Self.transformLength, with: 0)
    for index in 0..<Self.windowLength { samples[index] = window[index] * (isEcho ? echo[index] : residue[index]) }
  }

  /// Gains run straight from one band's centre to the next.
  @_noLocks
  private mutating func shape(isClosed: Bool) {
    for band in 0..<EchoBands.count {
      let kept = antiphon_powf(mask.output[band], Self.exponent)
      bandGains[band] = isClosed ? Self.closedGain : max(smallestGain, kept)
    }
    var band = 0
    var upper: Float = 0
    for bin in 0..<Self.transformLength / 2 &+ 1 {
      while band < EchoBands.count &- 1 && Float(bin) > centre(band &+ 1) { band &+= 1 }
      var gain = bandGains[band]
      let here = centre(band)
      if band < EchoBands.count &- 1 && Float(bin) > here {
        let weight = (Float(bin) - here) / (centre(band &+ 1) - here)
        gain += weight * (bandGains[band &+ 1] - gain)
      }
      if bin >= 128 && bin < 256 { upper += gain }
      apply(gain, bin, bands.noise[band])
    }
    upperGain = upper / 128
  }

  @_noLocks
  private func centre(_ band: Int) -> Float { 0.5 * Float(bands.edges[band] &+ bands.edges[band &+ 1] &- 1) }

  /// Turns one bin down, and fills it up towards the background.
  @_noLocks
  private mutating func apply(_ gain: Float, _ bin: Int, _ noise: Float) {
    var real = gain * residueSpectrum[2 &* bin]
    var imaginary = gain * residueSpectrum[2 &* bin &+ 1]
    let missing = Self.comfort * noise - (real * real + imaginary * imaginary)
    if missing > 0 && bin > 0 && bin < Self.transformLength / 2 {
      let amplitude = antiphon_sqrtf(1.5 * missing)  // of a uniform variable with that power in two parts
      real += amplitude * nextRandom()
      imaginary += amplitude * nextRandom()
    }
    residueSpectrum[2 &* bin] = real
    residueSpectrum[2 &* bin &+ 1] = imaginary
  }

  /// -1...1.
  @_noLocks
  private mutating func nextRandom() -> Float {
    seed = seed &* 1_664_525 &+ 1_013_904_223
    return Float(Int32(bitPattern: seed)) * (1 / 2_147_483_648)
  }

  @_noLocks
  private mutating func synthesise(into frame: inout SampleBuffer) {
    EchoTransform.inverse(&fft, residueSpectrum, into: &samples)
    let hop = EchoBlock.frameSampleCount
    for index in 0..<hop {
      frame[index] = overlap[index] + window[index] * samples[index]
      overlap[index] = window[hop &+ index] * samples[hop &+ index]
    }
  }

  private static var windowLength: Int { @_noLocks get { 320 } }
  private static var transformLength: Int { @_noLocks get { 512 } }
  /// -50 dB, until the echo's path is known.
  private static var closedGain: Float { @_noLocks get { 0.003 } }
  /// From the network's output to a gain: more than the 1 / 0.3 of its training, for what is small is mostly echo.
  private static var exponent: Float { @_noLocks get { 4.3 } }
  /// Of the background's power.
  private static var comfort: Float { @_noLocks get { 0.1 } }
}
