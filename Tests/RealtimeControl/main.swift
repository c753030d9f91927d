import AudioCodecs
import Foundation
import RealtimeCore
import TestSupport

// Does one thing inside a real-time region, so that a test can see what the real-time sanitizer says to it: the
// sanitizer must stop this program at an allocation and at a lock, also one inside a C library, and let the rest pass.

/// A round trip over a buffer that was made before the region begins.
func processSamples() {
  var buffer = SampleBuffer(repeating: 0.5, count: 480)
  var sum: Float = 0
  onRealtimePath {
    for index in 0..<buffer.count {
      sum += buffer[index]
      buffer[index] = 0
    }
  }
  guard sum == 240 else { exit(3) }
}

func allocateSamples() {
  let count = onRealtimePath { SampleBuffer(repeating: 0, count: 960).count }
  guard count == 960 else { exit(3) }
}

/// libopus allocates the encoder's state; its code was never compiled for the sanitizer.
func allocateInsideLibrary() throws {
  try onRealtimePath { _ = try AudioEncoder(.opus(), sampleRate: .hz48000, opus: OpusEncoderSettings()) }
}

func takeLock() {
  let mutex = NSLock()
  onRealtimePath {
    mutex.lock()
    mutex.unlock()
  }
}

switch CommandLine.arguments.dropFirst().first {
case "none": processSamples()
case "allocation": allocateSamples()
case "library": try allocateInsideLibrary()
case "lock": takeLock()
default:
  print("usage: RealtimeControl none|allocation|library|lock")
  exit(2)
}
print(realtimeSanitizerIsLinked ? "passed under the sanitizer" : "passed without a sanitizer")
