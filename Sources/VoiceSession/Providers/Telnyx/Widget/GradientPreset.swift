/// The visualizer's gradients, as colours for whatever draws it, first to last.
public enum GradientPreset: String, Sendable, Hashable, CaseIterable {
  /// Greens.
  case verdant
  /// Purple to blue.
  case twilight
  /// Pink to orange.
  case bloom
  /// Teals.
  case mystic
  /// Red to orange.
  case flare
  /// Blue to cyan.
  case glacier

  /// The preset of that name; `verdant` for any other name.
  public init(named name: String?) {
    self = name.flatMap { GradientPreset(rawValue: $0.lowercased()) } ?? .verdant
  }

  /// The stops, evenly spaced. The names' hues are the provider's; the values are our own.
  public var colors: [WidgetColor] {
    switch self {
    case .verdant: [WidgetColor(0x0B8F4D), WidgetColor(0x2FC36B), WidgetColor(0xA8EFB4)]
    case .twilight: [WidgetColor(0x6A2FD0), WidgetColor(0x4B57E6), WidgetColor(0x3F93F2)]
    case .bloom: [WidgetColor(0xF0559B), WidgetColor(0xFA7F7A), WidgetColor(0xFFAE5C)]
    case .mystic: [WidgetColor(0x0A6B72), WidgetColor(0x15A3A0), WidgetColor(0x7FE0D4)]
    case .flare: [WidgetColor(0xD4222A), WidgetColor(0xF0522B), WidgetColor(0xFF9A3C)]
    case .glacier: [WidgetColor(0x1F5FD6), WidgetColor(0x2FA0EE), WidgetColor(0x7FE6F7)]
    }
  }
}

/// A colour in sRGB, each part 0...1.
public struct WidgetColor: Sendable, Hashable {
  /// Parts.
  public var red, green, blue, opacity: Double

  /// From parts, 0...1.
  public init(red: Double, green: Double, blue: Double, opacity: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.opacity = opacity
  }

  /// From 0xRRGGBB.
  public init(_ hexadecimal: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(hexadecimal >> shift & 0xFF) / 255 }
    self.init(red: part(16), green: part(8), blue: part(0))
  }
}
