import EchoControl
import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// What our own engine promises beyond SpeexDSP's, on recorded speech in a recorded room.
@Suite struct OwnEchoCancellerTests {
  private func cancel(
    _ farEnd: [Float], _ microphone: [Float], rate: SampleRate = .hz16000, settings: EchoSettings = EchoSettings()
  ) throws -> (output: [Float], metrics: EchoMetrics, latency: Int) {
    var canceller = try EchoCanceller(sampleRate: rate, settings: settings)
    var output = microphone
    var span = output.mutableSpan
    let frame = canceller.frameSampleCount
    for start in stride(from: 0, through: microphone.count - frame, by: frame) {
      let played = Array(farEnd[start..<start + frame])
      canceller.render(played.span)
      var part = span.part(start..<start + frame)
      canceller.capture(&part)
    }
    return (output, canceller.metrics, canceller.latencySampleCount)
  }

  private func enhancement(_ microphone: [Float], _ output: [Float], _ range: Range<Int>) -> Double {
    powerDecibels(microphone[range]) - powerDecibels(output[range])
  }

  @Test(arguments: [0, 60, 250, 420, 600])
  func aDelayIsFoundUntold(milliseconds: Int) throws {
    let scene = try EchoScene(seconds: 6, nearStart: nil, delayMilliseconds: milliseconds)
    let output = try cancel(scene.farEnd, scene.echo).output
    #expect(enhancement(scene.echo, output, 32_000..<96_000) > 30)
  }

  @Test(arguments: [-80, 80])
  func aDelayJumpIsRecovered(milliseconds: Int) throws {
    let before = try EchoScene(seconds: 8, nearStart: nil, delayMilliseconds: 200)
    let after = try EchoScene(seconds: 8, nearStart: nil, delayMilliseconds: 200 + milliseconds)
    let jump = 64_000
    let echo = Array(before.echo[..<jump]) + Array(after.echo[jump...])
    let output = try cancel(before.farEnd, echo).output
    // The far end pauses until 4.9 s; from half a second of its speech on, the new delay is known.
    #expect(enhancement(echo, output, 86_400..<echo.count) > 30)
  }

  /// With a headset on nothing comes back: both talk, and the near end stays as it is.
  @Test func aHeadsetLeavesTheNearEndAlone() throws {
    let scene = try EchoScene(seconds: 10, nearStart: 2)
    let (output, _, latency) = try cancel(scene.farEnd, scene.nearEnd)
    let range = 48_000..<150_000
    let late = Array(output[range.lowerBound + latency..<range.upperBound + latency])
    #expect(signalToNoise(Array(scene.nearEnd[range]), late) > 15)
  }

  @Test(arguments: [SampleRate.hz16000, .hz48000])
  func aSilentFarEndIsTransparent(rate: SampleRate) throws {
    let near = try EchoScene(seconds: 4, nearStart: 0).nearEnd
    let (output, _, latency) = try cancel([Float](repeating: 0, count: near.count), near, rate: rate)
    let whole = output.count / 480 * 480
    let late = Array(output[latency..<whole])
    #expect(signalToNoise(Array(near[..<late.count]), late) > (rate == .hz16000 ? 150 : 90))
  }

  @Test func theLevelOfEitherEndDoesNotMatter() throws {
    let scene = try EchoScene(seconds: 6, nearStart: nil)
    let range = 32_000..<96_000
    let plain = enhancement(scene.echo, try cancel(scene.farEnd, scene.echo).output, range)
    for (far, near) in [(Float(0.25), Float(1)), (1, 0.25), (0.25, 0.25)] {
      let microphone = scene.echo.map { near * $0 }
      let output = try cancel(scene.farEnd.map { far * $0 }, microphone).output
      #expect(abs(enhancement(microphone, output, range) - plain) < 8)
    }
  }

  /// A start some frames later changes nothing but the time.
  @Test func aTimeShiftShiftsTheOutput() throws {
    let scene = try EchoScene(seconds: 4, nearStart: 2)
    let lead = [Float](repeating: 0, count: 8 * 1_280)  // a whole round of the delay estimator's and the filters' turns
    let plain = try cancel(scene.farEnd, scene.microphone).output
    let shifted = try cancel(lead + scene.farEnd, lead + scene.microphone).output
    let late = Array(shifted[lead.count...])
    #expect(abs(powerDecibels(plain[32_000...]) - powerDecibels(late[32_000...])) < 1)
  }

  @Test func aMinuteOfSilenceForgetsNothing() throws {
    let scene = try EchoScene(seconds: 4, nearStart: nil)
    let silence = [Float](repeating: 0, count: 60 * 16_000)
    let echo = scene.echo + silence + scene.echo
    let output = try cancel(scene.farEnd + silence + scene.farEnd, echo).output
    let back = scene.echo.count + silence.count
    #expect(enhancement(echo, output, back..<back + 16_000) > 25)
  }

  @Test func roughInputStaysFiniteAndIsLearntFrom() throws {
    let scene = try EchoScene(seconds: 8, nearStart: nil)
    let clipped = scene.echo.map { max(-0.1, min(0.1, 3 * $0)) }
    let hum = scene.echo.enumerated().map { $1 + 0.05 + 0.02 * Float(sin(Double($0) * 2 * .pi * 50 / 16_000)) }
    for microphone in [clipped, hum] {
      let output = try cancel(scene.farEnd, microphone).output
      #expect(output.allSatisfy { $0.isFinite && abs($0) <= 1 })
    }
    let taken = enhancement(clipped, try cancel(scene.farEnd, clipped).output, 64_000..<128_000)
    #expect(taken > 10, "\(taken) dB")
    var random = SeededRandom(seed: 12)
    let wild: [Float] = [.nan, .infinity, -.infinity, 1e30, -1e30, Float.leastNonzeroMagnitude, 0, 1, -1]
    let noise = (0..<32_000).map { _ in wild[Int(random.next() % UInt64(wild.count))] }
    let output = try cancel(noise, noise.reversed()).output
    #expect(output.allSatisfy { $0.isFinite && abs($0) <= 1 })
  }

  @Test func mutingAndUnmutingKeepsTheEchoPath() throws {
    let scene = try EchoScene(seconds: 9, nearStart: nil)
    var microphone = scene.echo
    for index in 48_000..<80_000 { microphone[index] = 0 }
    let output = try cancel(scene.farEnd, microphone).output
    #expect(enhancement(microphone, output, 80_000 + 9_600..<144_000) > 20)
  }

  @Test func aResetFindsANewDeviceAgain() throws {
    let scene = try EchoScene(seconds: 5, nearStart: nil, delayMilliseconds: 300)
    var canceller = try EchoCanceller(sampleRate: .hz16000)
    for _ in 0..<2 {
      var output = scene.echo
      var span = output.mutableSpan
      for start in stride(from: 0, through: scene.echo.count - 160, by: 160) {
        let played = Array(scene.farEnd[start..<start + 160])
        canceller.render(played.span)
        var part = span.part(start..<start + 160)
        canceller.capture(&part)
      }
      #expect(enhancement(scene.echo, output, 32_000..<80_000) > 25)
      canceller.reset()
    }
  }
}
