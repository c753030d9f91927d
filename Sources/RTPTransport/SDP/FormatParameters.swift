/// The parameters of a payload type, an `a=fmtp` line without its number: "minptime=10;useinbandfec=1".
///
/// Some encodings have a form of their own here ("0-15" of telephone events, "111/111" of RED), hence the text is kept.
public struct FormatParameters: Hashable, Sendable {
  /// As it is on the line.
  public var text: String

  /// Parameters as they are on the line.
  public init(_ text: String) { self.text = text }

  /// The value of a parameter; names are the same in upper and lower case (RFC 4855 §3). Empty for one without a value.
  public subscript(_ name: String) -> String? {
    for pair in text.split(separator: ";") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if Self.trimmed(parts[0]).lowercased() == name.lowercased() {
        return parts.count > 1 ? Self.trimmed(parts[1]) : ""
      }
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
