/// Name and secret of one end's connectivity checks (RFC 8839 §5.4). Its description hides the secret.
public struct ICECredentials: Hashable, Sendable, CustomStringConvertible {
  /// 4 to 256 characters.
  public var usernameFragment: String
  /// 22 to 256 characters.
  public var password: String

  /// Both as they stand in a description.
  public init(usernameFragment: String, password: String) {
    self.usernameFragment = usernameFragment
    self.password = password
  }

  /// Whether both have the lengths and characters that RFC 8839 §5.4 demands.
  public var isValid: Bool {
    (4...256).contains(usernameFragment.utf8.count) && (22...256).contains(password.utf8.count)
      && (usernameFragment + password).utf8.allSatisfy(Self.isICECharacter)
  }

  private static func isICECharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    // Not in the grammar, but seen: base64url and base64's padding.
    case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "="): true
    default: false
    }
  }

  /// The name; never the secret.
  public var description: String { "ICE credentials of \(usernameFragment)" }
}
