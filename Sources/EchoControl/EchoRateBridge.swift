internal import RealtimeCore
internal import SignalProcessing

/// Runs our own canceller, which works at 16 kHz, at any rate.
///
/// The band up to about 7.5 kHz is cleaned at 16 kHz. What lies above it is the microphone less its own lower band, so
/// nothing is lost by the way down and up; it takes the gain of 4 to 8 kHz. While nothing is cleaned the two add up to the
/// microphone again.
struct EchoRateBridge: ~Copyable {
  /// How far the output lies behind the microphone, in samples at the outer rate.
  let latencySampleCount: Int

  private var canceller: OwnEchoCanceller
  private var downFar: Resampler
  private var downNear: Resampler
  private var upClean: Resampler
  private var upLower: Resampler
  private var far: SampleBuffer
  private var near: SampleBuffer
  private var lower: SampleBuffer
  private var lowerLine: SampleBuffer
  private var upper: SampleBuffer
  private var clean: SampleBuffer
  private var delayLine: SampleBuffer
  private let frameSampleCount: Int
  private var gain: Float = 1

  init(_ canceller: consuming OwnEchoCanceller, sampleRate: SampleRate) throws(EchoError) {
    let inner = SampleRate.hz16000
    let downFar = try Self.resampler(from: sampleRate, to: inner)
    let downNear = try Self.resampler(from: sampleRate, to: inner)
    let upClean = try Self.resampler(from: inner, to: sampleRate)
    let upLower = try Self.resampler(from: inner, to: sampleRate)
    let count = sampleRate.hertz / 100
    let innerLatency = canceller.latencyFrameCount * count
    let bridge = downNear.latencySampleCount * Double(sampleRate.hertz) / 16_000 + upClean.latencySampleCount
    latencySampleCount = Int(bridge.rounded()) + innerLatency
    far = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    near = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    lower = SampleBuffer(repeating: 0, count: EchoBlock.frameSampleCount)
    lowerLine = SampleBuffer(
      repeating: 0, count: (canceller.latencyFrameCount + 1) * EchoBlock.frameSampleCount)
    upper = SampleBuffer(repeating: 0, count: count)
    clean = SampleBuffer(repeating: 0, count: count)
    delayLine = SampleBuffer(repeating: 0, count: latencySampleCount + count)
    frameSampleCount = count
    self.canceller = canceller
    self.downFar = downFar
    self.downNear = downNear
    self.upClean = upClean
    self.upLower = upLower
  }

  /// Cleans one frame of 10 ms in place.
  @_noLocks
  mutating func process(farEnd: borrowing SampleBuffer, microphone: inout SampleBuffer) {
    Self.convert(&downFar, farEnd, into: &far)
    Self.convert(&downNear, microphone, into: &near)
    let hop = EchoBlock.frameSampleCount
    let kept = lowerLine.count &- hop
    if kept > 0 { lowerLine.move(hop..<lowerLine.count, to: 0) }
    lowerLine.copy(near, to: kept)
    Self.copyFront(lowerLine, into: &lower)
    canceller.process(farEnd: far, microphone: &near)
    Self.convert(&upClean, near, into: &clean)
    Self.convert(&upLower, lower, into: &upper)
    delayLine.move(frameSampleCount..<delayLine.count, to: 0)
    delayLine.copy(microphone, to: latencySampleCount)
    let step = (canceller.upperGain - gain) / Float(frameSampleCount)
    for index in 0..<frameSampleCount {
      gain += step
      microphone[index] = clean[index] + gain * (delayLine[index] - upper[index])
    }
    gain = canceller.upperGain
  }

  /// How often a filter made things worse.
  var divergenceCount: Int { @_noLocks get { canceller.divergenceCount } }

  /// The delay that was found, in ms.
  var foundDelayMilliseconds: Int? { @_noLocks get { canceller.foundDelayMilliseconds } }

  @_noLocks
  mutating func expect(delayMilliseconds: Int) { canceller.expect(delayMilliseconds: delayMilliseconds) }

  @_noLocks
  mutating func reset() {
    canceller.reset()
    downFar.reset()
    downNear.reset()
    upClean.reset()
    upLower.reset()
    lowerLine.fill(0..<lowerLine.count, with: 0)
    delayLine.fill(0..<delayLine.count, with: 0)
    gain = 1
  }

  @_noLocks
  private static func copyFront(_ line: borrowing SampleBuffer, into frame: inout SampleBuffer) {
    frame.copy(line.view(0..<frame.count), to: 0)
  }

  @_noLocks
  private static func convert(
    _ resampler: inout Resampler, _ input: borrowing SampleBuffer, into output: inout SampleBuffer
  ) {
    var target = output.mutableSpan
    _ = resampler.process(input.view, into: &target)
  }

  private static func resampler(from: SampleRate, to: SampleRate) throws(EchoError) -> Resampler {
    do throws(SignalProcessingError) {
      return try Resampler(from: from, to: to, quality: .low)
    } catch {
      throw .outOfMemory
    }
  }
}
