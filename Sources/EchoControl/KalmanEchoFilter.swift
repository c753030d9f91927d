internal import CKernels
internal import RealtimeCore
internal import SignalProcessing

/// Follows an echo path: a partitioned Kalman filter in the frequency domain, which knows how sure it is of each bin.
///
/// The gain weighs the filter's own uncertainty against what else the microphone hears, so the near end slows adaptation
/// down by itself: no double-talk switch.
/// - Source: Enzner & Vary, "Frequency-domain adaptive Kalman filter for acoustic echo control in hands-free telephones",
///   Signal Processing 86 (2006); Kuech, Mabande & Enzner, "State-space architecture of the partitioned-block-based
///   acoustic echo controller", ICASSP 2014, the diagonal form. Differs: partitions are longer than a block; the gradient
///   is constrained a few partitions at a time; the power beside the echo is taken as the error's, which includes the
///   filter's own misfit and makes steps cautious.
struct KalmanEchoFilter: ~Copyable {
  let partitionCount: Int
  /// What is left of the microphone's newest block.
  private(set) var error: SampleBuffer
  /// The modelled echo in it.
  private(set) var echo: SampleBuffer
  /// The power per bin that the filter expects `error` to have by its own misfit; |spectrum|² of the zero-padded block.
  private(set) var expectedError: SampleBuffer

  private var response: SampleBuffer
  private var uncertainty: SampleBuffer
  private var errorPower: SampleBuffer
  private var echoSpectrum: SampleBuffer
  private var errorSpectrum: SampleBuffer
  private var inverse: SampleBuffer
  private var samples: SampleBuffer
  private var fft: PreferredRealFFT
  private let constants: antiphon_kalman_constants
  private let memory: Float
  private var nextConstrained = 0

  /// - Parameters:
  ///   - steadiness: state transition factor A per frame of 10 ms; nearer to 1 for a quieter, slower filter.
  ///   - memory: how much of the error's power estimate stays per frame.
  init(partitionCount: Int, steadiness: Float, memory: Float) throws(EchoError) {
    fft = try EchoTransform.make(length: EchoBlock.transformLength)
    self.partitionCount = partitionCount
    let keep = steadiness.squareRoot()
    constants = antiphon_kalman_constants(
      keep: keep, share: EchoBlock.share, forgetting: 1 - steadiness, smallest_change: 1e-8)
    self.memory = memory.squareRoot()
    error = SampleBuffer(repeating: 0, count: EchoBlock.sampleCount)
    echo = SampleBuffer(repeating: 0, count: EchoBlock.sampleCount)
    expectedError = SampleBuffer(repeating: 0, count: EchoBlock.powerStride)
    response = SampleBuffer(repeating: 0, count: partitionCount * EchoBlock.spectrumStride)
    uncertainty = SampleBuffer(repeating: 0, count: partitionCount * EchoBlock.powerStride)
    errorPower = SampleBuffer(repeating: 0, count: EchoBlock.powerStride)
    echoSpectrum = SampleBuffer(repeating: 0, count: EchoBlock.spectrumStride)
    errorSpectrum = SampleBuffer(repeating: 0, count: EchoBlock.spectrumStride)
    inverse = SampleBuffer(repeating: 0, count: EchoBlock.powerStride)
    samples = SampleBuffer(repeating: 0, count: EchoBlock.transformLength)
    reset()
  }

  /// Subtracts the modelled echo from a block of the microphone.
  /// - Parameter start: blocks from a far-end sample to the first partition's echo of it.
  @_noLocks
  mutating func filter(_ microphone: borrowing SampleView, farEnd: borrowing FarEndHistory, start: Int) {
    let (hop, length) = (EchoBlock.sampleCount, EchoBlock.transformLength)
    echoSpectrum.fill(0..<echoSpectrum.count, with: 0)
    expectedError.fill(0..<expectedError.count, with: 0)
    for partition in 0..<partitionCount {
      EchoKernel.predict(
        echo: &echoSpectrum, error: &expectedError, response: response, uncertainty: uncertainty,
        partition: partition, from: farEnd, blocksAgo: start &+ partition &* EchoBlock.perPartition)
    }
    EchoTransform.inverse(&fft, echoSpectrum, into: &samples)
    for index in 0..<hop {
      echo[index] = samples[length &- hop &+ index]
      error[index] = microphone[index] - echo[index]
    }
    samples.fill(0..<length &- hop, with: 0)
    samples.copy(error, to: length &- hop)
    EchoTransform.forward(&fft, samples, into: &errorSpectrum)
    for bin in 0..<EchoBlock.binCount {
      let (real, imaginary) = (errorSpectrum[2 &* bin], errorSpectrum[2 &* bin &+ 1])
      let power = real * real + imaginary * imaginary
      errorPower[bin] = memory * errorPower[bin] + (1 - memory) * power + 1e-20  // no denormals
      expectedError[bin] *= EchoBlock.share
    }
  }

  /// Learns from the block that was filtered last.
  @_noLocks
  mutating func update(farEnd: borrowing FarEndHistory, start: Int) {
    for bin in 0..<EchoBlock.binCount {
      let weight = EchoBlock.share / (expectedError[bin] + errorPower[bin] + 8e-9)
      inverse[bin] = weight
      errorSpectrum[2 &* bin] *= weight
      errorSpectrum[2 &* bin &+ 1] *= weight
    }
    for partition in 0..<partitionCount {
      EchoKernel.update(
        constants, response: &response, uncertainty: &uncertainty, partition: partition, from: farEnd,
        blocksAgo: start &+ partition &* EchoBlock.perPartition, innovation: errorSpectrum, inverse: inverse)
    }
    for _ in 0..<Self.constrainedAtOnce { constrainNext() }
  }

  /// The energy that `error` should have if all of it were misfit.
  var expectedEnergy: Float {
    @_noLocks get {
      var sum = expectedError[0] + expectedError[EchoBlock.binCount &- 1]
      for bin in 1..<EchoBlock.binCount &- 1 { sum += 2 * expectedError[bin] }
      return sum / Float(EchoBlock.transformLength)
    }
  }

  /// Lets the filter doubt what it knows as much as at the start: an echo path that dies away by 60 dB in 0.3 s.
  @_noLocks
  mutating func doubt(_ amount: Float = 1) {
    var level: Float = 0.3 * amount
    for partition in 0..<partitionCount {
      let start = partition &* EchoBlock.powerStride
      for bin in start..<start &+ EchoBlock.powerStride { uncertainty[bin] = max(uncertainty[bin], level) }
      level *= 0.775
    }
  }

  /// Takes over what another filter has learnt, and doubts the partitions that it lacks.
  @_noLocks
  mutating func learn(from other: borrowing KalmanEchoFilter) {
    if other.partitionCount < partitionCount { doubt(0.3) }
    let count = min(partitionCount, other.partitionCount)
    response.copy(other.response.view(0..<count &* EchoBlock.spectrumStride), to: 0)
    uncertainty.copy(other.uncertainty.view(0..<count &* EchoBlock.powerStride), to: 0)
    errorPower.copy(other.errorPower, to: 0)
  }

  /// Forgets the echo path.
  @_noLocks
  mutating func reset() {
    response.fill(0..<response.count, with: 0)
    uncertainty.fill(0..<uncertainty.count, with: 0)
    errorPower.fill(0..<errorPower.count, with: 0)
    doubt()
  }

  /// Partitions whose wrap-around is removed in each block; the others wait for their turn. More gained nothing.
  private static var constrainedAtOnce: Int { @_noLocks get { 2 } }

  @_noLocks
  private mutating func constrainNext() {
    let offset = nextConstrained &* EchoBlock.spectrumStride
    EchoTransform.inverse(&fft, response, at: offset, into: &samples)
    samples.fill(EchoBlock.partitionSampleCount..<EchoBlock.transformLength, with: 0)
    EchoTransform.forward(&fft, samples, into: &response, at: offset)
    nextConstrained = nextConstrained &+ 1 == partitionCount ? 0 : nextConstrained &+ 1
  }
}
