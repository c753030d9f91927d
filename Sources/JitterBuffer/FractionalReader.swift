import Foundation
import RealtimeCore

/// Reads a line of samples a little faster or slower than it was written, for two clocks that differ by some ppm.
///
/// Windowed sinc, 16 taps at 64 fractions with linear interpolation between them: a tone's error is 50 dB below
/// it. Until the first drift is known nothing is computed and samples pass as they are. Then the reader falls back
/// by the 8 samples that the filter needs on its other side, over the next 80, rather than ask for packets earlier.
struct FractionalReader: ~Copyable {
  static var taps: Int { @_noLocks get { 16 } }
  /// How far the reader ends up behind the line's first waiting sample.
  static var fullLag: Int { @_noLocks get { 8 } }
  /// Samples that must wait when it is switched on: those that it falls back over, and the filter's other side.
  static var startCount: Int { @_noLocks get { 96 } }
  private static var fractionCount: Int { @_noLocks get { 64 } }

  /// Samples of the line for one of the output.
  private(set) var pace = 1.0
  /// Where the next output sample would lie behind the line's first waiting one without lag, 0 to 1.
  private var fraction = 0.0
  private var lag = 0.0
  private var filters: SampleBuffer
  /// Whether samples are computed.
  private(set) var isOn = false
  /// How often a pace was asked for in vain.
  private var wishCount = 0

  init() {
    let (taps, count) = (Self.taps, Self.fractionCount)
    filters = SampleBuffer(repeating: 0, count: (count + 1) * taps)
    for fraction in 0...count {
      var row = (0..<taps).map { tap -> Double in
        // Tap 7 is the sample at fraction 0.
        let x = Double(tap - taps / 2 + 1) - Double(fraction) / Double(count)
        let sinc = x == 0 ? 1 : sin(.pi * x) / (.pi * x)
        let edge = x / Double(taps / 2)
        return abs(edge) >= 1 ? 0 : sinc * (0.42 + 0.5 * cos(.pi * edge) + 0.08 * cos(2 * .pi * edge))
      }
      let sum = row.reduce(0, +)
      row = row.map { $0 / sum }
      for tap in 0..<taps { filters[fraction * taps + tap] = Float(row[tap]) }
    }
  }

  /// Moves towards `wanted` samples of the line for one of the output, by at most 20 ppm a call.
  /// - Parameter waiting: samples on the line.
  /// - Parameter isQuiet: the sound is a pause, where nobody hears the reader fall back; after 250 calls it does anyway.
  @_noLocks
  mutating func steer(to wanted: Double, waiting: Int, isQuiet: Bool) {
    guard isOn else {
      wishCount &+= 1
      isOn = waiting >= Self.startCount && (isQuiet || wishCount > 250)
      return
    }
    pace += max(-2e-5, min(2e-5, wanted - pace))
  }

  /// How many output samples can be made while at most `limit` samples of the line are used up; at least one.
  @_noLocks
  func outputCount(using limit: Int) -> Int { max(1, Int((Double(limit) - fraction) / pace)) }

  /// Writes `count` output samples.
  /// - Returns: how many samples of the line are used up; the caller removes them.
  @_noLocks
  mutating func read(_ line: borrowing SampleLine, into target: inout MutableSpan<Float>, at offset: Int, count: Int)
    -> Int
  {
    // Counted from the filter's first tap where the lag is full, so that no place is negative.
    let start = line.start &- Self.fullLag &- Self.taps / 2 &+ 1
    var place = fraction
    for index in 0..<count {
      if lag < Double(Self.fullLag) { lag = min(Double(Self.fullLag), lag + 0.1) }
      let behind = place + Double(Self.fullLag) - lag
      let whole = Int(behind)
      let scaled = (behind - Double(whole)) * Double(Self.fractionCount)
      let row = Int(scaled)
      let between = Float(scaled - Double(row))
      let first = row &* Self.taps
      var (low, high): (Float, Float) = (0, 0)
      for tap in 0..<Self.taps {
        let sample = line.samples[start &+ whole &+ tap]
        low += sample * filters[first &+ tap]
        high += sample * filters[first &+ Self.taps &+ tap]
      }
      target[offset &+ index] = low + (high - low) * between
      place += pace
    }
    let used = Int(place)
    fraction = place - Double(used)
    return used
  }
}
