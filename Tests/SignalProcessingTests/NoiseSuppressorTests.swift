import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

@Suite struct NoiseSuppressorTests {
  private static let rates: [SampleRate] = [.hz8000, .hz12000, .hz16000, .hz24000, .hz32000, .hz44100, .hz48000]

  /// Frame by frame in place; the rest that fills no frame is left out.
  private func suppress(_ input: [Float], with suppressor: inout NoiseSuppressor) -> [Float] {
    var output = input
    let frame = suppressor.frameSampleCount
    var span = output.mutableSpan
    for start in stride(from: 0, through: input.count - frame, by: frame) {
      var part = span.part(start..<start + frame)
      suppressor.process(&part)
    }
    return output
  }

  @Test(arguments: rates, [6, 15, 25]) func steadyNoiseFallsByTheSetAttenuation(
    rate: SampleRate, attenuation: Int
  ) throws {
    var suppressor = try NoiseSuppressor(sampleRate: rate, maximumAttenuation: attenuation)
    var random = SeededRandom(seed: 3)
    let noise = random.noise(count: 4 * rate.hertz, amplitude: 0.05)
    let output = suppress(noise, with: &suppressor)
    let reduction = powerDecibels(noise.suffix(2 * rate.hertz)) - powerDecibels(output.suffix(2 * rate.hertz))
    // White noise fluctuates, so a little of it passes for signal.
    #expect(reduction > Double(attenuation) * 0.75 && reduction < Double(attenuation) + 1)
  }

  @Test func speechInNoiseGainsWhatNoiseLosesAndCleanSpeechKeepsItsLevel() throws {
    let recording = try Recording("speech/agent.wav")
    let speech = Array(recording.samples.prefix(8 * 16_000))
    var random = SeededRandom(seed: 11)
    let amplitude = Float(pow(10, (powerDecibels(speech) - 10) / 20) * 3.0.squareRoot())
    let noise = random.noise(count: speech.count, amplitude: amplitude)
    var suppressor = try NoiseSuppressor(sampleRate: .hz16000)
    let output = suppress(zip(speech, noise).map { $0 + $1 }, with: &suppressor)
    let delayed = [Float](repeating: 0, count: suppressor.latencySampleCount) + speech
    // 10 dB of signal to noise go in; the error against clean speech must shrink.
    let after = signalToNoise(Array(delayed[16_000..<speech.count]), Array(output[16_000...]))
    #expect(after > 12.5, "signal to noise after: \(after) dB")

    var fresh = try NoiseSuppressor(sampleRate: .hz16000)
    let clean = suppress(speech, with: &fresh)
    #expect(abs(powerDecibels(clean) - powerDecibels(speech)) < 0.7)
  }

  @Test func switchedOffItIsADelayAndSwitchingDoesNotClick() throws {
    var suppressor = try NoiseSuppressor(sampleRate: .hz16000, maximumAttenuation: 30)
    suppressor.isEnabled = false
    let tone = sine(200, sampleRate: .hz16000, count: 16_000, amplitude: 0.3)
    let output = suppress(tone, with: &suppressor)
    #expect(Array(output[320...]) == Array(tone[160..<tone.count - 160]))

    // A steady tone is taken for noise and falls by up to 30 dB; the way there and back may not jump.
    var previous = output[output.count - 1]
    var largestStep: Float = 0
    for round in 0..<200 {
      if round % 20 == 0 { suppressor.isEnabled.toggle() }
      for sample in suppress(Array(tone[..<160]), with: &suppressor) {
        largestStep = max(largestStep, abs(sample - previous))
        previous = sample
      }
    }
    // The tone's own steepest step is 0.3 · 2 pi · 200 / 16,000 = 0.024.
    #expect(largestStep < 0.03)
  }

  @Test func whatIsNotANumberPasses() throws {
    var suppressor = try NoiseSuppressor(sampleRate: .hz16000)
    var input = sine(500, sampleRate: .hz16000, count: 16_000)
    input.replaceSubrange(4_000..<4_004, with: [.nan, .infinity, -.infinity, 1e30])
    let output = suppress(input, with: &suppressor)
    #expect(output.allSatisfy { $0.isFinite && abs($0) <= 1 })
    #expect(powerDecibels(output.suffix(1_600)) > -40)
  }

  @Test func ratesWithoutAFrameOfTenMillisecondsAreRefused() {
    #expect(throws: SignalProcessingError.unsupportedFrameLength(220)) {
      _ = try NoiseSuppressor(sampleRate: .hz22050)
    }
    #expect(throws: SignalProcessingError.unsupportedSampleRate(.hz96000, lowest: .hz8000, highest: .hz48000)) {
      _ = try NoiseSuppressor(sampleRate: .hz96000)
    }
    #expect(throws: SignalProcessingError.unsupportedSetting(61, lowest: 0, highest: 60)) {
      _ = try NoiseSuppressor(sampleRate: .hz16000, maximumAttenuation: 61)
    }
  }

  @Test(arguments: rates) func processingNeverTouchesTheHeap(rate: SampleRate) throws {
    var suppressor = try NoiseSuppressor(sampleRate: rate)
    var random = SeededRandom(seed: 5)
    var frame = random.noise(count: suppressor.frameSampleCount, amplitude: 0.1)
    var span = frame.mutableSpan
    suppressor.process(&span)
    let operations = heapOperations {
      onRealtimePath {
        for round in 0..<1_000 {
          suppressor.isEnabled = round % 7 < 4
          suppressor.process(&span)
        }
      }
    }
    #expect(operations ?? 0 == 0)
  }
}
