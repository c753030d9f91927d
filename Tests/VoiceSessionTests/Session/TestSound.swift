import AudioDevices
import Foundation
import RealtimeCore
import Synchronization
import TestSupport

@testable import VoiceSession

/// A microphone that hums a tone, and a loudspeaker that remembers, at 48 kHz in the clock's time.
final class TestSound: Sendable {
  private struct Heard {
    var samples: [Float] = []
    var lastLoud = -1
  }

  private let heard = Mutex(Heard())
  private let loudness = Mutex(Float(0.3))
  let frequency: Double

  init(frequency: Double = 440) { self.frequency = frequency }

  /// For a session's environment.
  var sound: CallSound {
    .clock { [self] in
      var phase = 0.0
      return VirtualSound(
        microphone: { block in
          let loudness = self.loudness.withLock { $0 }
          for index in block.indices {
            block[index] = loudness * Float(sin(phase))
            phase += 2 * .pi * self.frequency / 48_000
          }
          return true
        },
        loudspeaker: { block in
          self.heard.withLock { heard in
            for index in block.indices {
              if abs(block[index]) > 0.001 { heard.lastLoud = heard.samples.count }
              heard.samples.append(block[index])
            }
          }
        })
    }
  }

  /// How loud the microphone hums, 0...1.
  func hum(_ loudness: Float) { self.loudness.withLock { $0 = loudness } }

  /// Samples that the loudspeaker has taken.
  var sampleCount: Int { heard.withLock { $0.samples.count } }
  /// The last of them that was louder than −60 dB; −1 when none was.
  var lastLoudSample: Int { heard.withLock { $0.lastLoud } }
  var samples: [Float] { heard.withLock { $0.samples } }
  func forget() { heard.withLock { $0 = Heard() } }

  /// The frequency with most power in the newest quarter second; 0 for silence.
  func heardFrequency() -> Int { strongestFrequency(Array(samples.suffix(12_000)), sampleRate: 48_000) }
}

/// The frequency with most power of those on a grid of 20 Hz from 100 to 2,000; 0 for silence.
func strongestFrequency(_ samples: [Float], sampleRate: Double) -> Int {
  guard !samples.isEmpty, powerDecibels(samples) > -60 else { return 0 }
  func power(_ frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / sampleRate
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return real * real + imaginary * imaginary
  }
  return Array(stride(from: 100, through: 2_000, by: 20)).max { power(Double($0)) < power(Double($1)) } ?? 0
}

/// Waits for what other threads bring about, at most 5 s.
nonisolated(nonsending) func eventually(_ condition: () async -> Bool) async -> Bool {
  for _ in 0..<500 {
    if await condition() { return true }
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}

/// Signed 16-bit samples of a tone.
func tonePCM(_ frequency: Double, seconds: Double, sampleRate: Double, level: Double = 0.3) -> [UInt8] {
  var bytes: [UInt8] = []
  for index in 0..<Int(seconds * sampleRate) {
    let value = Int16(level * 32_767 * sin(2 * .pi * frequency * Double(index) / sampleRate))
    bytes.append(UInt8(truncatingIfNeeded: value))
    bytes.append(UInt8(truncatingIfNeeded: value >> 8))
  }
  return bytes
}
