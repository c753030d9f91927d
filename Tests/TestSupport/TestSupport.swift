internal import CProbes
public import Foundation
public import RealtimeCore

/// The repository's testdata folder.
public let testdata = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("testdata")

/// A repeatable random source (SplitMix64, Steele et al. 2014); print `seed` when a test fails.
public struct SeededRandom: RandomNumberGenerator {
  /// Prints with a failure; starts the same numbers again.
  public let seed: UInt64
  private var state: UInt64

  /// A source whose numbers follow from `seed`.
  public init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// White noise, uniform in -amplitude...amplitude.
  public mutating func noise(count: Int, amplitude: Float) -> [Float] {
    (0..<count).map { _ in Float.random(in: -amplitude...amplitude, using: &self) }
  }
}

/// A sine of `frequency` hertz.
public func sine(_ frequency: Double, sampleRate: SampleRate, count: Int, amplitude: Double = 0.5) -> [Float] {
  (0..<count).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(sampleRate.hertz))) }
}

/// Mean power in dB relative to a full-scale square wave; -200 for silence.
public func powerDecibels(_ samples: some Collection<Float>) -> Double {
  guard !samples.isEmpty else { return -200 }
  let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
  return 10 * log10(power + 1e-20)
}

/// Signal over error in dB, sample by sample.
public func signalToNoise(_ signal: [Float], _ other: [Float]) -> Double {
  powerDecibels(signal) - powerDecibels(zip(signal, other).map { $0 - $1 })
}

/// Heap operations (allocations and frees) that `body` causes on this thread. `nil` where a sanitizer hides them.
public func heapOperations(_ body: () throws -> Void) rethrows -> Int? {
  antiphon_unhook_throws()
  let before = antiphon_allocation_count()
  try body()
  let after = antiphon_allocation_count()
  return antiphon_allocations_are_counted() != 0 ? Int(after - before) : nil
}

/// Runs `body` as a sound device's callback would: under the real-time sanitizer where it is linked.
public func onRealtimePath<Result>(_ body: () throws -> Result) rethrows -> Result {
  antiphon_unhook_throws()
  antiphon_realtime_enter()
  defer { antiphon_realtime_exit() }
  return try body()
}

/// Whether this test run has the real-time sanitizer.
public var realtimeSanitizerIsLinked: Bool { antiphon_realtime_sanitizer_is_linked() != 0 }
