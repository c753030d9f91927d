import Foundation
internal import CKernels
import RealtimeCore

/// Reads a line of samples a little faster or slower than it was written, for two clocks that differ by some ppm.
///
/// Windowed sinc, 16 taps at 64 fractions with linear interpolation between them: below a third of the rate the error is
/// under -80 dB. As long as the pace is 1 and no fraction is left, nothing is computed and samples pass as they are.
struct FractionalReader: ~Copyable {
  static var taps: Int { @_noLocks get { 16 } }
  /// Samples that must wait behind the one that is read.
  static var lookahead: Int { @_noLocks get { 8 } }
  private static var fractionCount: Int { @_noLocks get { 64 } }

  /// Samples of the line for one of the output.
  private(set) var pace = 1.0
  /// Where the next output sample lies behind the line's first waiting one, 0 to 1.
  private var fraction = 0.0
  private var filters: SampleBuffer
  private var window: SampleBuffer
  /// Whether samples are computed; from the first drift that is seen on.
  private(set) var isOn = false

  init() {
    let (taps, count) = (Self.taps, Self.fractionCount)
    filters = SampleBuffer(repeating: 0, count: (count + 1) * taps)
    window = SampleBuffer(repeating: 0, count: taps)
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
  @_noLocks
  mutating func steer(to wanted: Double) {
    let step = max(-2e-5, min(2e-5, wanted - pace))
    pace += step
    if pace != 1 { isOn = true }
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
    let start = line.start &- Self.taps / 2 &+ 1
    var place = fraction
    for index in 0..<count {
      let whole = Int(place)
      let scaled = (place - Double(whole)) * Double(Self.fractionCount)
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
