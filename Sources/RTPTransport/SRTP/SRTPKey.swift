import Foundation

/// A profile with its master key and salt, for one direction of a call. Its description shows the profile only.
public struct SRTPKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// What the key is for.
  public let profile: SRTPProfile
  let keyAndSalt: [UInt8]

  /// A key from the bytes of the master key with those of the salt behind it, as DTLS or a signalling channel gives them.
  ///
  /// Throws `wrongKeyLength` unless there are `keyByteCount + saltByteCount` of the profile.
  public init(_ profile: SRTPProfile, keyAndSalt: [UInt8]) throws(SRTPError) {
    let needed = profile.keyByteCount + profile.saltByteCount
    guard keyAndSalt.count == needed else { throw .wrongKeyLength(byteCount: keyAndSalt.count, needed: needed) }
    self.profile = profile
    self.keyAndSalt = keyAndSalt
  }

  /// A key from an SDP `a=crypto` line's key parameter (RFC 4568 §6.1), `inline:` and base64, the prefix optional.
  ///
  /// A lifetime after `|` is passed over: no call lasts the 2⁴⁸ packets that the profiles allow, and libsrtp counts them.
  /// Throws `keyIdentifierUnsupported` for a master key identifier, since packets would then carry it too.
  public init(_ profile: SRTPProfile, inline text: String) throws(SRTPError) {
    let body = text.hasPrefix("inline:") ? text.dropFirst("inline:".count) : text[...]
    let fields = body.split(separator: "|", omittingEmptySubsequences: false)
    if fields.dropFirst().contains(where: { $0.contains(":") }) { throw .keyIdentifierUnsupported }
    // RFC 7714's 44-byte keys end in "=", which some senders leave off.
    let base64 = fields.first.map(String.init) ?? ""
    let padded = base64 + String(repeating: "=", count: (4 - base64.count % 4) % 4)
    guard let bytes = Data(base64Encoded: padded) else { throw .keyNotBase64 }
    try self.init(profile, keyAndSalt: Array(bytes))
  }

  /// The key parameter of an SDP `a=crypto` line. This is the secret itself.
  public var inline: String { "inline:" + Data(keyAndSalt).base64EncodedString() }

  /// The profile's name; never the key.
  public var description: String { "SRTP key for \(profile.sdpName)" }
  /// The profile's name; never the key.
  public var debugDescription: String { description }
  /// Shows `dump` and test failures the profile only.
  public var customMirror: Mirror { Mirror(self, children: ["profile": profile]) }
}
