extension BandLevels {
  /// What the bands cover and how they move.
  public struct Settings: Sendable, Hashable {
    /// Lower edge of the first band in hertz; above 0.
    public var lowestFrequency: Float = 80
    /// Upper edge of the last band in hertz; lowered to half the sample rate where that is less.
    public var highestFrequency: Float = 8_000
    /// The level in dBFS that is shown as 0.
    public var floorDecibels: Float = -65
    /// The level in dBFS that is shown as 1.
    public var ceilingDecibels: Float = -20
    /// Time constant of rising levels, 0 to 10,000 ms: after it, 63 % of a step is shown.
    public var attackMilliseconds: Float = 15
    /// Time constant of falling levels, 0 to 10,000 ms.
    public var releaseMilliseconds: Float = 120
    /// Time from update to update, 1 to 1,000 ms; at most the window.
    public var hopMilliseconds: Float = 10
    /// The least window, 2 to 1,000 ms; lengthened to the next power of two in samples. A longer one tells frequencies
    /// apart better and shows changes later.
    public var windowMilliseconds: Float = 20

    /// The settings of `voice` for five bands.
    public init() {}

    /// For voice in `bandCount` bands: the more bands, the less power in each, and the lower the range shown.
    public static func voice(bandCount: Int) -> Settings {
      var settings = Settings()
      let shift = -Decibels.of(power: Float(max(1, bandCount)) / 5)
      settings.ceilingDecibels += shift
      settings.floorDecibels += shift
      return settings
    }
  }

  /// Numbers of bands that displays are commonly drawn with.
  public enum Preset: Int, Sendable, CaseIterable {
    /// Five bars, as voice agents show them.
    case five = 5
    case seven = 7
    case ten = 10
    /// A fine spectrum.
    case hundred = 100

    /// How many bands.
    public var bandCount: Int { rawValue }

    /// Voice settings; the fine spectrum has a longer window to tell harmonics apart.
    public var settings: Settings {
      var settings = Settings.voice(bandCount: bandCount)
      if self == .hundred { settings.windowMilliseconds = 40 }
      return settings
    }
  }
}
