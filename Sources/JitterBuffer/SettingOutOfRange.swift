/// A setting that nothing can be made with, by its name.
public struct SettingOutOfRange: Error, Equatable, Sendable, CustomStringConvertible {
  /// As in the settings.
  public let name: String
  /// What it is.
  public let value: String
  /// What it may be: `0 to 2000`.
  public let allowed: String

  /// The three in one sentence.
  public var description: String { "\(name) \(value) is outside \(allowed)" }

  static func check<Value: Comparable>(
    _ name: String, _ value: Value, _ limits: ClosedRange<Value>
  ) throws(SettingOutOfRange) {
    guard limits.contains(value) else {
      throw SettingOutOfRange(
        name: name, value: "\(value)", allowed: "\(limits.lowerBound) to \(limits.upperBound)")
    }
  }
}
