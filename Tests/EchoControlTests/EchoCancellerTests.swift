import EchoControl
import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

/// Render, then capture, frame by frame.
private func cancel(_ farEnd: [Float], _ microphone: [Float], with canceller: inout EchoCanceller) -> [Float] {
  var output = microphone
  var span = output.mutableSpan
  let frame = canceller.frameSampleCount
  for start in stride(from: 0, through: microphone.count - frame, by: frame) {
    let played = Array(farEnd[start..<start + frame])
    canceller.render(played.span)
    var part = span.part(start..<start + frame)
    canceller.capture(&part)
  }
  return output
}

/// The adaptive filter alone.
private func filterOnly() -> EchoSettings {
  var settings = EchoSettings()
  (settings.residualAttenuation, settings.residualAttenuationInDoubleTalk) = (0, 0)
  return settings
}

@Suite struct EchoCancellerTests {
  @Test func echoFallsByTwentyDecibelsAfterTwoSeconds() throws {
    let scene = try EchoScene(seconds: 10, nearStart: nil)
    for (settings, least) in [(EchoSettings(), 20.0), (filterOnly(), 15)] {
      var canceller = try EchoCanceller(sampleRate: .hz16000, settings: settings)
      let output = cancel(scene.farEnd, scene.echo, with: &canceller)
      let enhancement = powerDecibels(scene.echo[32_000...]) - powerDecibels(output[32_000...])
      print("ERLE after 2 s, \(settings.residualAttenuation) dB of suppression: \(enhancement) dB")
      #expect(enhancement > least)
      let metrics = canceller.metrics
      #expect(metrics.echoReturnLossEnhancement > Float(least))
      // ERL as played and recorded over the same time, give or take what the last second holds.
      let loss = powerDecibels(scene.farEnd[32_000...]) - powerDecibels(scene.echo[32_000...])
      #expect(abs(Double(metrics.echoReturnLoss) - loss) < 4)
      #expect(metrics.farEndUnderrunCount == 0 && metrics.farEndOverrunCount == 0 && metrics.divergenceCount == 0)
    }
  }

  /// The near end as it comes through when there is no far end: the filter always takes out what is below 50 Hz, which
  /// turns the phase of a deep voice.
  private func throughSilence(_ nearEnd: [Float]) throws -> [Float] {
    var canceller = try EchoCanceller(sampleRate: .hz16000, settings: filterOnly())
    #expect(canceller.latencySampleCount == 0)
    let output = cancel([Float](repeating: 0, count: nearEnd.count), nearEnd, with: &canceller)
    #expect(canceller.metrics.echoReturnLossEnhancement == 0)
    return output
  }

  @Test func silentFarEndKeepsTheNearEndsLevel() throws {
    let near = try EchoScene(seconds: 6, nearStart: 0).nearEnd
    #expect(abs(powerDecibels(try throughSilence(near)) - powerDecibels(near)) < 0.3)
  }

  /// Negative control: a far end that is not in the microphone must not be "found" there.
  @Test func anUnrelatedFarEndLeavesTheNearEndAlone() throws {
    let scene = try EchoScene(seconds: 8, nearStart: 0)
    let reference = try throughSilence(scene.nearEnd)
    var canceller = try EchoCanceller(sampleRate: .hz16000, settings: filterOnly())
    let output = cancel(scene.farEnd, scene.nearEnd, with: &canceller)
    let fidelity = signalToNoise(Array(reference[16_000...]), Array(output[16_000...]))
    print("near end over its change by an unrelated far end: \(fidelity) dB")
    #expect(fidelity > 15)
    #expect(abs(canceller.metrics.echoReturnLossEnhancement) < 1)
  }

  @Test func doubleTalkKeepsTheNearEnd() throws {
    let scene = try EchoScene(seconds: 14, nearStart: 6)
    let reference = try throughSilence(scene.nearEnd)
    let range = 7 * 16_000..<14 * 16_000 - 320
    for (settings, least) in [(EchoSettings(), 0.95), (filterOnly(), 0.97)] {
      var canceller = try EchoCanceller(sampleRate: .hz16000, settings: settings)
      let output = cancel(scene.farEnd, scene.microphone, with: &canceller)
      let latency = canceller.latencySampleCount
      let cleaned = Array(output[range.lowerBound + latency..<range.upperBound + latency])
      let kept = correlation(Array(reference[range]), cleaned)
      let before = correlation(Array(scene.nearEnd[range]), Array(scene.microphone[range]))
      print("near end in double talk: correlation \(kept), before \(before)")
      #expect(kept > least)
      #expect(before < 0.9)
    }
  }

  private func correlation(_ a: [Float], _ b: [Float]) -> Double {
    let product = zip(a, b).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
    let energy = { (x: [Float]) in x.reduce(0.0) { $0 + Double($1) * Double($1) } }
    return product / (energy(a) * energy(b)).squareRoot()
  }

  /// 400 ms of device delay lie beyond SpeexDSP's tail: only the right bulk delay helps, also when set while running.
  @Test func theBulkDelayIsHonouredBySpeexDSP() throws {
    let scene = try EchoScene(seconds: 8, nearStart: nil, delayMilliseconds: 400)
    func enhancement(_ delay: Int, changedTo later: Int? = nil) throws -> Double {
      var settings = filterOnly()
      settings.engine = .speexDSP
      settings.tailMilliseconds = 200
      settings.bulkDelayMilliseconds = delay
      var canceller = try EchoCanceller(sampleRate: .hz16000, settings: settings)
      #expect(canceller.bulkDelayMilliseconds == delay)
      if let later { canceller.bulkDelayMilliseconds = later }
      let output = cancel(scene.farEnd, scene.echo, with: &canceller)
      return powerDecibels(scene.echo[64_000...]) - powerDecibels(output[64_000...])
    }
    #expect(try enhancement(0) < 3)
    #expect(try enhancement(380) > 15)
    #expect(try enhancement(0, changedTo: 380) > 15)
    var canceller = try EchoCanceller(sampleRate: .hz16000)
    canceller.bulkDelayMilliseconds = 9_999
    #expect(canceller.bulkDelayMilliseconds == 500)
  }

  @Test func theReportedLatencyIsTrue() throws {
    var canceller = try EchoCanceller(sampleRate: .hz16000)
    let near = try Recording("speech/mic.wav").samples
    let silence = [Float](repeating: 0, count: near.count)
    let output = cancel(silence, near, with: &canceller)
    let latency = canceller.latencySampleCount
    #expect(latency == 160)
    // The delay at which output and input agree best, over 2 s.
    var source = SampleBuffer(repeating: 0, count: 32_000)
    var result = SampleBuffer(repeating: 0, count: 32_480)
    for index in 0..<32_000 { source[index] = near[16_000 + index] }
    for index in 0..<32_480 { result[index] = output[16_000 + index] }
    let agreement = (0..<480).map { Kernel.dot(source.view, result.view($0..<$0 + 32_000)) }
    #expect(agreement.indices.max { agreement[$0] < agreement[$1] } == latency)
  }

  @Test func whatIsNotANumberIsForgotten() throws {
    let scene = try EchoScene(seconds: 8, nearStart: nil)
    var (far, microphone) = (scene.farEnd, scene.echo)
    for (index, value) in [(20_000, Float.nan), (20_001, .infinity), (30_000, -.infinity), (30_001, 1e30)] {
      far[index] = value
      microphone[index + 500] = value
    }
    var canceller = try EchoCanceller(sampleRate: .hz16000)
    let output = cancel(far, microphone, with: &canceller)
    #expect(output.allSatisfy { $0.isFinite && abs($0) <= 1 })
    #expect(canceller.metrics.repairedSampleCount == 6)
    #expect(powerDecibels(scene.echo[64_000...]) - powerDecibels(output[64_000...]) > 20)
  }

  /// The echo path breaks off, as when headphones are plugged in, while the far end gets louder: what the filter still
  /// expects must not stay audible.
  @Test func anEchoPathThatEndsIsUnlearnt() throws {
    let scene = try EchoScene(seconds: 6, nearStart: nil)
    var canceller = try EchoCanceller(sampleRate: .hz16000, settings: filterOnly())
    _ = cancel(scene.farEnd, scene.echo, with: &canceller)
    let loud = scene.farEnd.map { max(-1, min(1, 8 * $0)) }
    let output = cancel(loud, [Float](repeating: 0, count: loud.count), with: &canceller)
    #expect(powerDecibels(output.suffix(16_000)) < -50)
  }

  @Test func framesOfAnyRateAreNeverAHeapMatter() throws {
    for rate: SampleRate in [.hz8000, .hz16000, .hz44100, .hz48000] {
      var canceller = try EchoCanceller(sampleRate: rate)
      var random = SeededRandom(seed: 6)
      let far = random.noise(count: canceller.frameSampleCount, amplitude: 0.3)
      var near = random.noise(count: canceller.frameSampleCount, amplitude: 0.1)
      let farSpan = far.span
      var span = near.mutableSpan
      canceller.render(farSpan)
      canceller.capture(&span)
      let operations = heapOperations {
        onRealtimePath {
          for round in 0..<300 {
            if round % 5 != 0 { canceller.render(farSpan) }
            canceller.capture(&span)
            canceller.bulkDelayMilliseconds = round
            _ = canceller.metrics
          }
          canceller.reset()
        }
      }
      #expect(operations ?? 0 == 0)
    }
  }

  @Test func whatCannotWorkIsRefusedByName() {
    #expect(throws: EchoError.unsupportedSampleRate(.hz96000, lowest: .hz8000, highest: .hz48000)) {
      _ = try EchoCanceller(sampleRate: .hz96000)
    }
    #expect(throws: EchoError.unsupportedFrameLength(.hz22050)) { _ = try EchoCanceller(sampleRate: .hz22050) }
    var settings = EchoSettings()
    settings.tailMilliseconds = 20
    #expect(throws: EchoError.unsupportedSetting(.tailMilliseconds, value: 20, lowest: 50, highest: 500)) {
      _ = try EchoCanceller(sampleRate: .hz16000, settings: settings)
    }
  }
}
