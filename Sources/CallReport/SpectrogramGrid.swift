public import Foundation

extension CallReport {
  /// A spectrum over time, one byte a cell.
  public struct SpectrogramGrid: Codable, Equatable, Sendable {
    /// Steps in time, at most ``maximumColumnCount``.
    public let columnCount: Int
    /// Steps in frequency.
    public let binCount: Int
    /// How bins are spread over frequency.
    public let axis: FrequencyAxis
    /// Where the first column begins, in seconds.
    public let startSeconds: Double
    /// What all columns cover, in seconds.
    public let durationSeconds: Double
    /// The level of byte 1, in dB.
    public let floorDecibels: Double
    /// The level of byte 255, in dB.
    public let ceilingDecibels: Double
    /// Column after column, lowest frequency first. 0: no value; 1...255: floor to ceiling.
    public let levels: Data

    /// Enough for a wide screen, and 154 kB of page with 96 bins.
    public static let maximumColumnCount = 1_200

    /// How bins are spread over frequency.
    public struct FrequencyAxis: Codable, Equatable, Sendable {
      /// The law from bin to hertz.
      public enum Scale: String, Codable, Sendable {
        /// Equal steps in hertz.
        case linear
        /// Equal steps in 2595 · log10(1 + f / 700): O'Shaughnessy, Speech Communication, 1987.
        case mel
        /// Equal ratios.
        case logarithmic
      }

      /// The law from bin to hertz.
      public let scale: Scale
      /// Lower edge of the lowest bin, in Hz; above 0 for a logarithmic scale.
      public let lowestHertz: Double
      /// Upper edge of the highest bin, in Hz.
      public let highestHertz: Double

      /// Spreads bins over `lowestHertz`...`highestHertz`.
      public init(_ scale: Scale, lowestHertz: Double, highestHertz: Double) {
        precondition(
          lowestHertz >= (scale == .logarithmic ? 1 : 0) && lowestHertz < highestHertz && highestHertz.isFinite,
          "not a frequency range for a \(scale.rawValue) scale: \(lowestHertz)...\(highestHertz) Hz")
        self.scale = scale
        self.lowestHertz = lowestHertz
        self.highestHertz = highestHertz
      }

      /// The frequency at `position`, 0 being the lower and 1 the upper edge.
      func hertz(at position: Double) -> Double {
        func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * position }
        switch scale {
        case .linear: return between(lowestHertz, highestHertz)
        case .logarithmic: return exp2(between(log2(lowestHertz), log2(highestHertz)))
        case .mel:
          func mel(_ hertz: Double) -> Double { 2_595 * log10(1 + hertz / 700) }
          return 700 * (pow(10, between(mel(lowestHertz), mel(highestHertz)) / 2_595) - 1)
        }
      }
    }

    /// Packs levels in dB.
    /// - Parameters:
    ///   - decibels: column after column, lowest bin first; its count is a multiple of `binCount`. What is no number
    ///     is left open in the picture; minus infinity is the floor.
    ///   - durationSeconds: what all columns cover. More columns than ``maximumColumnCount`` are averaged in power.
    public init(
      decibels: [Float], binCount: Int, axis: FrequencyAxis, startSeconds: Double = 0, durationSeconds: Double,
      floorDecibels: Double = -90, ceilingDecibels: Double = 0
    ) {
      precondition(binCount > 0 && decibels.count % binCount == 0, "\(decibels.count) levels in \(binCount) bins")
      precondition(floorDecibels < ceilingDecibels, "floor \(floorDecibels) dB, ceiling \(ceilingDecibels) dB")
      let given = decibels.count / binCount
      columnCount = min(given, Self.maximumColumnCount)
      self.binCount = binCount
      self.axis = axis
      self.startSeconds = startSeconds.finite ?? 0
      self.durationSeconds = durationSeconds.finite ?? 0
      self.floorDecibels = floorDecibels
      self.ceilingDecibels = ceilingDecibels
      var levels = Data(capacity: columnCount * binCount)
      for column in 0..<columnCount {
        let sources = given * column / columnCount..<given * (column + 1) / columnCount
        for bin in 0..<binCount {
          let level =
            sources.count == 1
            ? Double(decibels[sources.lowerBound * binCount + bin])
            : Self.meanLevel(sources.lazy.map { decibels[$0 * binCount + bin] })
          levels.append(Self.byte(level, floor: floorDecibels, ceiling: ceilingDecibels))
        }
      }
      self.levels = levels
    }

    private static func meanLevel(_ decibels: some Sequence<Float>) -> Double {
      var power = 0.0
      var count = 0.0
      for level in decibels where !level.isNaN {
        power += pow(10, Double(level) / 10)
        count += 1
      }
      return count == 0 ? .nan : 10 * log10(power / count)
    }

    private static func byte(_ level: Double, floor: Double, ceiling: Double) -> UInt8 {
      guard !level.isNaN else { return 0 }
      let position = min(max((level - floor) / (ceiling - floor), 0), 1)
      return UInt8(1 + (254 * position).rounded())
    }
  }
}
