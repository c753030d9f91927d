import Antiphon
import Foundation

/// A voice-like signal without a recording: a gliding harmonic tone, broken into syllables and pauses, over faint noise.
/// The same on every machine.
struct MadeUpVoice {
  let samples: [Float]
  static let rate = SampleRate.hz48000

  init(seconds: Int) {
    var state: UInt32 = 1
    var phase = 0.0
    samples = (0..<seconds * Self.rate.hertz).map { index in
      let time = Double(index) / Double(Self.rate.hertz)
      let pitch = 120 + 30 * sin(2 * .pi * 0.7 * time)
      phase += pitch / Double(Self.rate.hertz)
      // Four syllables a second, and every fourth second a pause.
      let syllable = time.truncatingRemainder(dividingBy: 4) < 3 ? max(0, sin(2 * .pi * 4 * time)) : 0
      var tone = 0.0
      for harmonic in 1...20 { tone += sin(2 * .pi * phase * Double(harmonic)) / Double(harmonic) }
      state = state &* 1_664_525 &+ 1_013_904_223
      let noise = Double(Int32(bitPattern: state)) / 2_147_483_648 * 0.002
      return Float(0.15 * syllable * tone + noise)
    }
  }

  /// The next frame, over and over; `position` moves on.
  func copy(to frame: inout SampleBuffer, at position: inout Int) {
    if position + frame.count > samples.count { position = 0 }
    for index in 0..<frame.count { frame[index] = samples[position + index] }
    position += frame.count
  }

  /// The signal at another rate.
  func resampled(to rate: SampleRate) throws -> MadeUpVoice {
    MadeUpVoice(samples: try samples.resampled(from: Self.rate, to: rate))
  }

  private init(samples: [Float]) { self.samples = samples }
}
