public import Foundation

extension CallReport {
  /// What was run, and how.
  public struct Run: Codable, Equatable, Sendable {
    /// The command line as it can be typed again.
    public var command: String?
    /// When it ran; the page shows UTC to the second. Passed in, so that equal runs make equal pages.
    public var date: Date?
    /// Codec and its settings in words: `Opus 48 kHz, 20 ms, 32 kbit/s`.
    public var codec: String?
    /// The network it went through, in words: `lte-drive, 2 % loss in bursts`.
    public var network: String?
    /// Everything else worth knowing, in order.
    public var settings: [Setting]

    /// Describes a run.
    public init(
      command: String? = nil, date: Date? = nil, codec: String? = nil, network: String? = nil, settings: [Setting] = []
    ) {
      self.command = command
      self.date = date
      self.codec = codec
      self.network = network
      self.settings = settings
    }
  }

  /// One setting in words.
  public struct Setting: Codable, Equatable, Sendable {
    /// What is set.
    public var name: String
    /// To what, with its unit.
    public var value: String

    /// Names a setting.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// How good something is, in three steps. The page shows it by shape and word, not by colour alone.
  public enum Grade: String, Codable, Sendable {
    /// Nobody would notice.
    case good
    /// An attentive listener would notice.
    case fair
    /// It disturbs the talk.
    case poor
  }

  /// One plain sentence about the whole call.
  public struct Verdict: Codable, Equatable, Sendable {
    /// How good it is.
    public var grade: Grade
    /// Why, in one or two sentences.
    public var text: String

    /// Judges a call.
    public init(_ grade: Grade, _ text: String) {
      self.grade = grade
      self.text = text
    }
  }

  /// One key figure of the headline row.
  public struct Figure: Codable, Equatable, Sendable {
    /// What it measures: `Playout delay`.
    public let name: String
    /// The value in `unit`; `nil` is shown as a dash.
    public let value: Double?
    /// `ms`, `dB`, `%`, `× real time`; empty for a plain count.
    public let unit: String
    /// Digits after the decimal point.
    public let decimals: Int
    /// A second line below it: `p95 118 ms`.
    public let note: String?
    /// How good it is, where that can be said.
    public let grade: Grade?

    /// A key figure. A `value` that is no finite number counts as absent.
    public init(
      _ name: String, _ value: Double?, unit: String = "", decimals: Int = 0, note: String? = nil, grade: Grade? = nil
    ) {
      self.name = name
      self.value = value?.finite
      self.unit = unit
      self.decimals = min(max(decimals, 0), 6)
      self.note = note
      self.grade = grade
    }
  }
}
