internal import Foundation

/// Levels for the widget's bars: true bands of the agent's voice, that rise fast and fall slowly.
public struct VisualizerLevels: Sendable, Hashable {
  /// 0...1, lowest band first; empty before the first.
  public private(set) var values: [Float] = []

  /// What remains of the value before after 0.2 s, when it rises and when it falls.
  private static let (attack, release, interval) = (0.1, 0.4, 0.2)

  /// None yet.
  public init() {}

  /// Takes new bands.
  /// - Parameter seconds: since the last ones; at 0.2 s, a tenth of the old value remains when it rises, and four when it
  ///   falls.
  public mutating func take(_ bands: [Float], seconds: Double) {
    if values.count != bands.count { values = [Float](repeating: 0, count: bands.count) }
    let steps = max(0, seconds) / Self.interval
    let (attack, release) = (Float(pow(Self.attack, steps)), Float(pow(Self.release, steps)))
    for (index, band) in bands.enumerated() {
      let new = band.isFinite ? min(1, max(0, band)) : 0
      let rest = new > values[index] ? attack : release
      values[index] = rest * values[index] + (1 - rest) * new
    }
  }

  /// How much of its box a bar fills, 0.2...0.8; `nil` for the bars of a call that has no levels yet.
  public static func barHeight(_ level: Float?) -> Float {
    guard let level else { return 0.3 }
    return 0.2 + 0.6 * min(1, max(0, level))
  }
}
