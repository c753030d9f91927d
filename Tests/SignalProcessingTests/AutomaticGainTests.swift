import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

@Suite struct AutomaticGainTests {
  private func level(_ input: [Float], with gain: inout AutomaticGain) -> [Float] {
    var output = input
    var span = output.mutableSpan
    let frame = gain.frameSampleCount
    for start in stride(from: 0, through: input.count - frame, by: frame) {
      var part = span.part(start..<start + frame)
      gain.process(&part)
    }
    return output
  }

  /// Mean level of the frames that are within 35 dB of the loudest.
  private func speechLevel(_ samples: ArraySlice<Float>) -> Double {
    let levels = stride(from: samples.startIndex, to: samples.endIndex - 159, by: 160).map {
      powerDecibels(samples[$0..<$0 + 160])
    }
    let top = levels.max() ?? 0
    let active = levels.filter { $0 > top - 35 }.map { pow(10, $0 / 10) }
    return 10 * log10(active.reduce(0, +) / Double(active.count))
  }

  @Test(arguments: [-20, -10, 0, 6] as [Float]) func quietAndLoudVoicesReachTheTarget(change: Float) throws {
    let voice = try Recording("speech/agent.wav").samples
    let factor = pow(10, change / 20)
    let input = (0..<30 * 16_000).map { factor * voice[$0 % voice.count] }
    var gain = try AutomaticGain(sampleRate: .hz16000)
    let output = level(input, with: &gain)
    let reached = speechLevel(output[(20 * 16_000)...])
    #expect(abs(reached - -20) < 2, "reached \(reached) dBFS")
    // Negative control: without it the level is off by what was changed.
    if change == -20 { #expect(speechLevel(input[(20 * 16_000)...]) < -30) }
  }

  @Test func noiseAloneIsNotRaised() throws {
    var gain = try AutomaticGain(sampleRate: .hz16000)
    var random = SeededRandom(seed: 31)
    let noise = random.noise(count: 10 * 16_000, amplitude: 0.003)
    let output = level(noise, with: &gain)
    #expect(gain.gain == 0)
    #expect(signalToNoise(noise, output) > 100)
  }

  @Test func nothingExceedsTheCeilingAndTheGainKeepsItsPace() throws {
    var settings = AutomaticGain.Settings()
    settings.maximumGain = 40
    var gain = try AutomaticGain(sampleRate: .hz16000, settings: settings)
    let voice = try Recording("speech/agent.wav").samples
    var before: Float = 0
    for start in stride(from: 0, to: voice.count - 160, by: 160) {
      // Very quiet, then suddenly far over full scale.
      let factor: Float = start < voice.count / 2 ? 0.01 : 4
      let output = level(voice[start..<start + 160].map { $0 * factor }, with: &gain)
      for sample in output { #expect(abs(sample) <= 0.891) }
      #expect(gain.gain - before <= 0.0601 && gain.gain - before >= -0.2001)
      before = gain.gain
    }
    #expect(before < 0)
  }

  @Test func aDecisionFromOutsideSavesTheSecondAnalysis() throws {
    let voice = try Recording("speech/agent.wav").samples
    var own = try AutomaticGain(sampleRate: .hz16000)
    var told = try AutomaticGain(sampleRate: .hz16000)
    var detector = try VoiceActivity(sampleRate: .hz16000)
    for start in stride(from: 0, to: voice.count - 160, by: 160) {
      let frame = voice[start..<start + 160].map { $0 * 0.1 }
      let expected = level(frame, with: &own)
      let decision = detector.process(frame.span)
      var output = frame
      var span = output.mutableSpan
      told.process(&span, voice: decision)
      #expect(output == expected)
    }
  }

  @Test func whatIsNotANumberPasses() throws {
    var gain = try AutomaticGain(sampleRate: .hz16000)
    var input = sine(300, sampleRate: .hz16000, count: 16_000)
    input.replaceSubrange(800..<803, with: [.nan, .infinity, 1e38])
    let output = level(input, with: &gain)
    #expect(output.allSatisfy { $0.isFinite && abs($0) <= 0.891 })
    #expect(powerDecibels(output.suffix(1_600)) > -25)
  }

  @Test func settingsOutOfRangeAreRefused() {
    var settings = AutomaticGain.Settings()
    settings.targetLevel = 3
    #expect(throws: SignalProcessingError.unsupportedSetting(3, lowest: -40, highest: -6)) {
      _ = try AutomaticGain(sampleRate: .hz16000, settings: settings)
    }
  }

  @Test func processingNeverTouchesTheHeap() throws {
    var gain = try AutomaticGain(sampleRate: .hz48000)
    var tone = sine(440, sampleRate: .hz48000, count: 480, amplitude: 0.02)
    var span = tone.mutableSpan
    gain.process(&span)
    let operations = heapOperations {
      onRealtimePath { for _ in 0..<1_000 { gain.process(&span) } }
    }
    #expect(operations ?? 0 == 0)
  }
}
