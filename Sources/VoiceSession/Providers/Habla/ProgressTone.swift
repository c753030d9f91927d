internal import Foundation

/// The tone that says that a call is under way: 425 Hz and 480 Hz in equal parts, on for 0.35 s of each 2 s.
///
/// Each burst is a turn of its own in the agent's stream. So at most one is ever queued, and the first sound of the far
/// end cuts it by a flush, whose fade is the engine's.
package struct ProgressTone: Sendable {
  /// From the beginning of one burst to that of the next.
  package static let periodSeconds = 2.0
  /// Of a burst.
  package static let burstSeconds = 0.35
  /// Of full scale; each of the two has half of it.
  package static let amplitude = 0.18
  private static let fadeSeconds = 0.015
  private static let rate = 16_000.0

  /// One burst: 16 bits, one channel, 16 kHz.
  package let burst: [UInt8]

  package init() {
    let count = Int(Self.rate * Self.burstSeconds)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(2 * count)
    for index in 0..<count {
      let time = Double(index) / Self.rate
      // Linear at both ends.
      let gain = min(1, min(time, Self.burstSeconds - time) / Self.fadeSeconds)
      let tone = (sin(2 * .pi * 425 * time) + sin(2 * .pi * 480 * time)) / 2
      let sample = Int16((32_767 * Self.amplitude * gain * tone).rounded())
      bytes.append(UInt8(truncatingIfNeeded: sample))
      bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    burst = bytes
  }
}
