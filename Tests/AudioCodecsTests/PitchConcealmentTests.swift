import AudioCodecs
import RealtimeCore
import TestSupport
import Testing

@Suite struct PitchConcealmentTests {
  static let rates: [SampleRate] = [.hz8000, .hz16000, .hz44100, .hz48000]

  /// Passes `signal` through in 20 ms frames, of which `lost` are concealed.
  private func play(_ signal: [Float], _ rate: SampleRate, lost: (Int) -> Bool) -> [Float] {
    var concealment = PitchConcealment(sampleRate: rate)
    let size = rate.sampleCount(milliseconds: 20)
    var played: [Float] = []
    for (index, start) in stride(from: 0, through: signal.count - size, by: size).enumerated() {
      var frame = Array(signal[start..<start + size])
      var span = frame.mutableSpan
      if lost(index) { concealment.conceal(into: &span) } else { concealment.receive(&span) }
      played += frame
    }
    return played
  }

  private func zeroFilled(_ signal: [Float], _ rate: SampleRate, lost: (Int) -> Bool) -> [Float] {
    let size = rate.sampleCount(milliseconds: 20)
    return signal.prefix(signal.count / size * size).enumerated().map { lost($0 / size) ? 0 : $1 }
  }

  @Test(arguments: rates)
  func beatsZeroFillOnAVoice(rate: SampleRate) {
    let signal = vowel(sampleRate: rate, seconds: 4)
    var random = SeededRandom(seed: 5)
    let losses = (0..<200).map { $0 > 3 && Int.random(in: 0..<100, using: &random) < 5 }
    let reference = Array(signal.prefix(signal.count / (rate.hertz / 50) * (rate.hertz / 50)))
    let concealed = signalToNoise(reference, play(signal, rate) { losses[$0] })
    let zeros = signalToNoise(reference, zeroFilled(signal, rate) { losses[$0] })
    print("\(rate), 5 % lost of a gliding vowel: SNR \(concealed) dB concealed, \(zeros) dB with zeros, seed 5")
    // Measured: 2.8 dB at 8 kHz, 3.1 dB above. The glide of the pitch sets the limit.
    #expect(concealed > zeros + 2.5)
  }

  @Test func beatsZeroFillOnRecordedSpeech() throws {
    let signal = try speech()
    var random = SeededRandom(seed: 6)
    let losses = (0...600).map { $0 > 3 && Int.random(in: 0..<100, using: &random) < 5 }
    let concealed = play(signal, .hz16000) { losses[$0] }
    let zeros = zeroFilled(signal, .hz16000) { losses[$0] }
    let distances = [concealed, zeros].map { logSpectralDistance(signal, $0, frames: losses) }
    print(
      "5 % lost of speech: log-spectral distance \(distances[0]) dB concealed, \(distances[1]) dB with zeros, seed 6")
    #expect(distances[0] < distances[1] - 10)
  }

  /// Root mean square difference in dB of the power in 16 bands of 500 Hz, over the lost frames that were not silent.
  private func logSpectralDistance(_ a: [Float], _ b: [Float], frames: [Bool]) -> Double {
    var sum = 0.0
    var count = 0
    for (index, lost) in frames.enumerated() where lost && (index + 1) * 320 <= min(a.count, b.count) {
      let range = index * 320..<(index + 1) * 320
      guard powerDecibels(a[range]) > -45 else { continue }
      for band in 0..<16 {
        let difference = bandDecibels(a[range], band) - bandDecibels(b[range], band)
        sum += difference * difference
        count += 1
      }
    }
    return (sum / Double(count)).squareRoot()
  }

  /// Power of the ten DFT lines of a 20 ms frame at 16 kHz that make up one band, floored at -80 dB.
  private func bandDecibels(_ frame: ArraySlice<Float>, _ band: Int) -> Double {
    let power = (band * 10..<band * 10 + 10).reduce(0.0) { sum, line in
      let step = 2 * Double.pi * Double(line) / 320
      var (real, imaginary) = (0.0, 0.0)
      for (i, sample) in frame.enumerated() {
        real += Double(sample) * cosine(step * Double(i))
        imaginary += Double(sample) * cosine(step * Double(i) - .pi / 2)
      }
      return sum + (real * real + imaginary * imaginary) / (320 * 320)
    }
    return max(-80, decibels(power))
  }

  @Test(arguments: rates)
  func joinsDoNotClick(rate: SampleRate) {
    // The largest step between samples that the voice itself makes bounds the steps at the joins.
    for pitch in [80.0, 110, 170, 240] {
      let signal = vowel(sampleRate: rate, seconds: 2, pitch: pitch...pitch * 1.2)
      let natural = largestStep(signal)
      for length in 1...6 {
        let played = play(signal, rate) { $0 > 5 && $0 % 12 < length }
        #expect(largestStep(played) < natural * 1.5, "\(rate), \(pitch) Hz, \(length) frames")
      }
    }
  }

  private func largestStep(_ signal: [Float]) -> Float {
    zip(signal, signal.dropFirst()).map { abs($1 - $0) }.max() ?? 0
  }

  @Test func longGapsFadeToSilence() {
    let signal = vowel(sampleRate: .hz8000, seconds: 1)
    let played = play(signal, .hz8000) { $0 >= 25 }
    let before = powerDecibels(played[(25 * 160 - 160)..<25 * 160])
    let levels = (25..<30).map { powerDecibels(played[$0 * 160..<$0 * 160 + 160]) - before }
    #expect(abs(levels[0]) < 3)
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 <= $0 + 0.5 })
    #expect(played[(28 * 160)...].allSatisfy { $0 == 0 })  // 60 ms
  }

  @Test func anySplitIntoCallsGivesTheSameOutput() {
    let signal = vowel(sampleRate: .hz16000, seconds: 1)
    func play(_ sizes: [Int]) -> [Float] {
      var concealment = PitchConcealment(sampleRate: .hz16000)
      var played: [Float] = []
      var turn = 0
      while played.count < signal.count {
        let isLost = (5_000..<5_777).contains(played.count) || (9_000..<9_100).contains(played.count)
        let next = [5_000, 5_777, 9_000, 9_100, signal.count].first { $0 > played.count } ?? signal.count
        let count = min(sizes[turn % sizes.count], next - played.count)
        turn += 1
        var frame = Array(signal[played.count..<played.count + count])
        var span = frame.mutableSpan
        if isLost { concealment.conceal(into: &span) } else { concealment.receive(&span) }
        played += frame
      }
      return played
    }
    let whole = play([320])
    #expect(play([1]) == whole)
    #expect(play([7, 160, 33]) == whole)
    #expect(play([4_000]) == whole)
  }

  @Test func silenceAndResetStaySilent() {
    var concealment = PitchConcealment(sampleRate: .hz8000)
    var frame = [Float](repeating: 0.5, count: 160)
    var span = frame.mutableSpan
    concealment.receive(&span)
    concealment.reset()
    concealment.conceal(into: &span)
    #expect(frame.allSatisfy { $0 == 0 })
    let isConcealing = concealment.isConcealing
    #expect(isConcealing)
  }

  @Test func pitchIsFound() {
    // A pure periodic signal is continued so exactly that the gap cannot be seen until the fade begins.
    let signal = sine(125, sampleRate: .hz8000, count: 4_000)
    let played = play(signal, .hz8000) { $0 == 20 }
    #expect(signalToNoise(Array(signal[3_200..<3_280]), Array(played[3_200..<3_280])) > 40)
  }

  // Found by fuzzing: over loud noise the interpolation overshoots, and gaps with hardly a sample between them took the
  // overshoot for the signal.
  @Test func noiseInterruptedAgainAndAgainStaysWithinFullScale() {
    var concealment = PitchConcealment(sampleRate: .hz8000)
    var random = SeededRandom(seed: 7)
    var largest: Float = 0
    for count in [2_000] + Array(repeating: 1, count: 40) {
      var received = (0..<count).map { _ in Bool.random(using: &random) ? Float(1) : -1 }
      var span = received.mutableSpan
      concealment.receive(&span)
      var gap = [Float](repeating: 0, count: 40)
      span = gap.mutableSpan
      concealment.conceal(into: &span)
      largest = (received + gap).reduce(largest) { max($0, abs($1)) }
    }
    #expect(largest <= 1, "seed 7")
  }
}
