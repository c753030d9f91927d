import Foundation
import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

@Suite struct VoiceActivityTests {
  /// Speech between two seconds of silence, and which of its frames are speech, or surely not.
  private struct Labelled {
    let samples: [Float]
    let isSpeech: [Bool]
    let isPause: [Bool]
    let speechPower: Double

    init(_ path: String) throws {
      let recording = try Recording(path)
      let silence = [Float](repeating: 0, count: 32_000)
      let samples = silence + recording.samples.prefix(12 * 16_000) + silence
      let levels = stride(from: 0, to: samples.count - 159, by: 160).map { powerDecibels(samples[$0..<$0 + 160]) }
      let top = levels.max() ?? 0
      let speech = levels.map { $0 > top - 35 }
      self.samples = samples
      isSpeech = speech
      // A pause begins 300 ms after and ends 300 ms before speech: hangover and breath are nobody's mistake.
      isPause = levels.indices.map { frame in
        !speech[max(0, frame - 30)...min(levels.count - 1, frame + 30)].contains(true)
      }
      let active = zip(levels, speech).filter { $0.1 }.map { pow(10, $0.0 / 10) }
      speechPower = active.reduce(0, +) / Double(active.count)
    }
  }

  /// Shares of speech frames found and of pause frames taken for speech; the first second is for learning the noise.
  private func rates(_ labelled: Labelled, signalToNoise: Double, brown: Bool, scale: Float = 1) throws -> (
    Double, Double
  ) {
    var detector = try VoiceActivity(sampleRate: .hz16000)
    var random = SeededRandom(seed: 21)
    var noise = random.noise(count: labelled.samples.count, amplitude: 1)
    if brown {  // falls by 6 dB an octave above 100 Hz, as in a car
      var state: Float = 0
      for index in noise.indices {
        state += 0.04 * (noise[index] - state)
        noise[index] = state
      }
    }
    let gain = Float(pow(10, (10 * log10(labelled.speechPower) - signalToNoise - powerDecibels(noise)) / 20))
    let mixed = zip(labelled.samples, noise).map { scale * ($0 + gain * $1) }
    var (hits, speech, alarms, pauses) = (0, 0, 0, 0)
    for frame in 0..<mixed.count / 160 {
      let piece = Array(mixed[frame * 160..<frame * 160 + 160])
      let decision = detector.process(piece.span)
      #expect((0...1).contains(decision.probability))
      if frame < 100 { continue }
      if labelled.isSpeech[frame] { (speech, hits) = (speech + 1, hits + (decision.isSpeech ? 1 : 0)) }
      if labelled.isPause[frame] { (pauses, alarms) = (pauses + 1, alarms + (decision.isSpeech ? 1 : 0)) }
    }
    #expect(speech > 300 && pauses > 100)
    return (Double(hits) / Double(speech), Double(alarms) / Double(pauses))
  }

  @Test(arguments: ["speech/agent.wav", "speech/mic.wav"], [false, true])
  func speechIsFoundInNoiseWithoutFalseAlarms(path: String, brown: Bool) throws {
    let labelled = try Labelled(path)
    for (level, least) in [(20.0, 0.92), (10.0, 0.85)] {
      for scale: Float in [1, 0.1] {
        let (hit, alarm) = try rates(labelled, signalToNoise: level, brown: brown, scale: scale)
        print(
          "\(path) \(brown ? "brown" : "white") noise, \(level) dB, times \(scale): hit \(hit), false alarm \(alarm)")
        #expect(hit > least)
        #expect(alarm < 0.02)
      }
    }
  }

  /// Negative controls: noise alone is no speech, silence neither, and a louder noise is soon no speech either.
  @Test func noiseAndSilenceAreNoSpeech() throws {
    for rate: SampleRate in [.hz8000, .hz16000, .hz48000] {
      var detector = try VoiceActivity(sampleRate: rate)
      var random = SeededRandom(seed: 8)
      var speechFrames = 0
      for frame in 0..<1_500 {
        let amplitude: Float = frame < 500 ? 0.01 : frame < 1_000 ? 0 : 0.1
        let noise = random.noise(count: detector.frameSampleCount, amplitude: amplitude)
        let decision = detector.process(noise.span)
        // Two seconds to learn the louder noise that sets in.
        if frame < 1_000 || frame > 1_200 { speechFrames += decision.isSpeech ? 1 : 0 }
      }
      #expect(speechFrames < 13)
    }
  }

  @Test func hangoverLastsAsLongAsSet() throws {
    for milliseconds in [0, 100, 500] {
      var detector = try VoiceActivity(sampleRate: .hz16000, hangoverMilliseconds: milliseconds)
      let silence = [Float](repeating: 0, count: 160)
      for _ in 0..<50 { _ = detector.process(silence.span) }
      let tone = sine(500, sampleRate: .hz16000, count: 160)
      for _ in 0..<20 { _ = detector.process(tone.span) }
      var held = 0
      while case let decision = detector.process(silence.span), decision.isSpeech {
        if decision.probability <= 0.5 { held += 1 }
      }
      #expect(held == milliseconds / 10)
    }
  }

  @Test func whatIsNotANumberIsForgotten() throws {
    var detector = try VoiceActivity(sampleRate: .hz16000)
    var random = SeededRandom(seed: 9)
    for frame in 0..<400 {
      var noise = random.noise(count: 160, amplitude: 0.01)
      if frame == 100 { noise[5] = .nan; noise[9] = .infinity }
      let decision = detector.process(noise.span)
      #expect(decision.probability.isFinite)
      if frame > 300 { #expect(!decision.isSpeech) }
    }
  }

  @Test func processingNeverTouchesTheHeap() throws {
    var detector = try VoiceActivity(sampleRate: .hz48000)
    let tone = sine(440, sampleRate: .hz48000, count: 480)
    let span = tone.span
    _ = detector.process(span)
    let operations = heapOperations {
      onRealtimePath { for _ in 0..<1_000 { _ = detector.process(span) } }
    }
    #expect(operations ?? 0 == 0)
  }
}
