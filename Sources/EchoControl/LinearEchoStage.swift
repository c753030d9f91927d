internal import RealtimeCore
internal import SignalProcessing

/// The linear part: aligns the far end, models the echo with two filters and subtracts it, without delay.
///
/// A steady filter holds what was learnt while the near end speaks; a fast, shorter one follows a moved loudspeaker or a
/// new delay. Whichever leaves less is heard, and the steady one takes over what the fast one found.
/// - Source: the two filters follow the idea of the two-path model (Ochiai, Araseki & Ogihara, "Echo canceler with two
///   echo path models", IEEE Trans. COM-25, 1977); both adapt here.
struct LinearEchoStage: ~Copyable {
  /// Microphone less echo, one frame.
  private(set) var output: SampleBuffer
  /// The echo that was subtracted, one frame.
  private(set) var echo: SampleBuffer
  /// The power per bin that the filter expects to be left of the echo in `output`.
  private(set) var expectedError: SampleBuffer
  /// Whether the far end was loud enough to be heard in this frame.
  private(set) var isActive = false
  /// How often a filter made things worse and was started afresh.
  private(set) var divergenceCount = 0

  private var farEnd: FarEndHistory
  private var delay: EchoDelayEstimator
  private var steady: KalmanEchoFilter
  private var fast: KalmanEchoFilter
  private var start = 0
  private var isPlaced = false
  private var usesFast = false
  private var blocksFastBetter = 0
  private var blocksUnexpected = 0
  private var blocksSinceDoubt = 1_000

  private var microphoneEnergy: Float = 0
  private var steadyEnergy: Float = 0
  private var fastEnergy: Float = 0
  private var presence = EchoPresence()

  init(tailMilliseconds: Int) throws(EchoError) {
    let partitions = tailMilliseconds / 10
    let farEnd = try FarEndHistory()
    let delay = try EchoDelayEstimator()
    let steady = try KalmanEchoFilter(partitionCount: partitions, steadiness: 0.9995, memory: 0.8)
    let fast = try KalmanEchoFilter(partitionCount: min(partitions, 14), steadiness: 0.995, memory: 0.8)
    self.farEnd = farEnd
    self.delay = delay
    self.steady = steady
    self.fast = fast
    output = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    echo = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    expectedError = SampleBuffer(repeating: 0, count: EchoBlock.powerStride)
  }

  /// Takes a frame of both ends; fills `output`, `echo` and `expectedError`.
  @_noLocks
  mutating func process(farEnd far: borrowing SampleView, microphone: borrowing SampleView) {
    expectedError.fill(0..<expectedError.count, with: 0)
    isActive = false
    for block in 0..<EchoBlock.perFrame {
      let range = block &* EchoBlock.sampleCount..<(block &+ 1) &* EchoBlock.sampleCount
      process(far.extracting(range), microphone.extracting(range), at: range.lowerBound)
    }
  }

  /// Whether the echo's delay was found.
  var isAligned: Bool { @_noLocks get { delay.lag != nil } }

  /// The delay that was found, in samples at 16 kHz.
  var lag: Int? { @_noLocks get { delay.lag } }

  /// Whether the far end said anything within the longest delay.
  var farEndIsNear: Bool { @_noLocks get { farEnd.loudest(from: 0, count: 128) > 1e-6 } }

  /// Whether the better filter leaves less than `share` of the microphone's power now.
  @_noLocks
  func leavesLess(than share: Float) -> Bool {
    isAligned && microphoneEnergy > 1e-5 && min(steadyEnergy, fastEnergy) < share * microphoneEnergy
  }

  /// Starts the filters at a delay that the caller knows, in samples at 16 kHz; the estimator may know better later.
  @_noLocks
  mutating func expect(delay samples: Int) {
    guard !isAligned else { return }
    place(at: samples)
  }

  /// Forgets everything but the counter.
  @_noLocks
  mutating func reset() {
    farEnd.reset()
    delay.reset()
    steady.reset()
    fast.reset()
    (start, isPlaced, usesFast) = (0, false, false)
    (blocksFastBetter, blocksUnexpected, blocksSinceDoubt) = (0, 0, 1_000)
    (microphoneEnergy, steadyEnergy, fastEnergy) = (0, 0, 0)
    presence = EchoPresence()
  }

  @_noLocks
  private mutating func process(_ far: borrowing SampleView, _ microphone: borrowing SampleView, at offset: Int) {
    farEnd.append(far)
    align(microphone)
    steady.filter(microphone, farEnd: farEnd, start: start)
    fast.filter(microphone, farEnd: farEnd, start: start)
    measure(microphone)
    let isAudible = farEnd.loudest(from: start, count: 52) > Self.quietest
    isActive = isActive || (isAudible && isPlaced)
    let usedFast = usesFast
    chooseFilter()
    if isAudible && isPlaced {
      let fastError = Kernel.energy(fast.error.view)
      steady.update(farEnd: farEnd, start: start)
      fast.update(farEnd: farEnd, start: start)
      watch(fastError)
    }
    subtract(microphone, usedFast, at: offset)
  }

  @_noLocks
  private mutating func align(_ microphone: borrowing SampleView) {
    let all = farEnd.meanPower(from: 0, count: 128)
    let mayMove =
      farEnd.meanPower(from: start, count: 20) > 0.3 * all && farEnd.meanPower(from: 0, count: 40) > 0.3 * all
    guard delay.process(microphone, farEnd: farEnd, mayMove: mayMove), let lag = delay.lag else { return }
    let peak = lag / EchoBlock.sampleCount &- start
    // A path that still lies within the filters is left to them.
    if !isPlaced || peak < 1 || peak > 12 { place(at: lag) }
  }

  @_noLocks
  private mutating func place(at lag: Int) {
    start = max(0, (lag &- Self.lead) / EchoBlock.sampleCount)
    isPlaced = true
    steady.reset()
    fast.reset()
  }

  /// Energies over about 15 ms.
  @_noLocks
  private mutating func measure(_ microphone: borrowing SampleView) {
    microphoneEnergy = Self.smoothing * microphoneEnergy + Kernel.energy(microphone) + 1e-20
    steadyEnergy = Self.smoothing * steadyEnergy + Kernel.energy(steady.error.view) + 1e-20
    fastEnergy = Self.smoothing * fastEnergy + Kernel.energy(fast.error.view) + 1e-20
  }

  @_noLocks
  private mutating func chooseFilter() {
    usesFast = fastEnergy < (usesFast ? 0.9 : 0.7) * steadyEnergy
    blocksFastBetter = fastEnergy < 0.5 * steadyEnergy ? blocksFastBetter &+ 1 : 0
    if blocksFastBetter >= 8 {
      steady.learn(from: fast)
      blocksFastBetter = 0
    }
  }

  /// Lets the fast filter doubt its path when more is left than it can explain, or when it adds to the microphone.
  @_noLocks
  private mutating func watch(_ fastError: Float) {
    blocksSinceDoubt &+= 1
    let isUnexpected = fastError > 4 * fast.expectedEnergy && fastError > 1e-6 * Float(EchoBlock.sampleCount)
    blocksUnexpected = isUnexpected ? blocksUnexpected &+ 1 : max(0, blocksUnexpected &- 1)
    let adds = fastEnergy > 1.3 * microphoneEnergy && steadyEnergy > 1.3 * microphoneEnergy
    let hasLost = blocksUnexpected >= 16 && fastEnergy > 0.25 * microphoneEnergy
    guard blocksSinceDoubt > 80, adds || hasLost else { return }
    if adds {
      divergenceCount &+= 1
      fast.reset()
    } else {
      fast.doubt()
    }
    delay.doubt()
    (blocksSinceDoubt, blocksUnexpected) = (0, 0)
  }

  /// The chosen filter's echo, cross-faded over the block, as far as the microphone really holds it.
  @_noLocks
  private mutating func subtract(_ microphone: borrowing SampleView, _ usedFast: Bool, at offset: Int) {
    let hop = EchoBlock.sampleCount
    let from: Float = usedFast ? 1 : 0
    let step = ((usesFast ? 1 : 0) - from) / Float(hop)
    for index in 0..<hop {
      let weight = from + step * Float(index &+ 1)
      echo[offset &+ index] = weight * fast.echo[index] + (1 - weight) * steady.echo[index]
    }
    let before = presence.share
    Self.observe(&presence, microphone, echo, at: offset)
    let change = (presence.share - before) / Float(hop)
    for index in 0..<hop {
      let modelled = echo[offset &+ index] * (before + change * Float(index &+ 1))
      echo[offset &+ index] = modelled
      output[offset &+ index] = microphone[index] - modelled
    }
    for bin in 0..<EchoBlock.binCount {
      expectedError[bin] += usesFast ? fast.expectedError[bin] : steady.expectedError[bin]
    }
  }

  @_noLocks
  private static func observe(
    _ presence: inout EchoPresence, _ microphone: borrowing SampleView, _ echo: borrowing SampleBuffer, at offset: Int
  ) {
    presence.observe(microphone, echo: echo.view(offset..<offset &+ EchoBlock.sampleCount))
  }

  /// Samples before the echo's peak at which the filters start: 10 ms.
  private static var lead: Int { @_noLocks get { 160 } }
  /// 0.7 per 10 ms.
  private static var smoothing: Float { @_noLocks get { 0.83666 } }
  /// -70 dBFS: quieter far ends teach nothing.
  private static var quietest: Float { @_noLocks get { 1e-7 } }
}
