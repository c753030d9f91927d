public import Foundation
internal import Networking

/// Where a Habla back end is, and how this device shows that it may use it.
public struct HablaServer: Sendable, Hashable, CustomStringConvertible {
  /// Of http or https, without the path of a request.
  public var baseURL: String
  /// What each request shows, where the back end has a secret: hexadecimal HMAC-SHA256 of the app's bundle id.
  public var authorization: String?
  /// Tells the caller ids of this device from those of others; keep it (see `HablaArchive.deviceID`).
  public var deviceID: UUID

  /// A back end without a secret, or with an authorization that was made elsewhere.
  /// - Precondition: the authorization has no line break.
  public init(_ baseURL: String, authorization: String? = nil, deviceID: UUID) {
    precondition(
      authorization?.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ?? true,
      "HablaServer: the authorization is no value of a header field; give its hexadecimal digits")
    var base = baseURL
    while base.hasSuffix("/") { base.removeLast() }
    self.baseURL = base
    self.authorization = authorization
    self.deviceID = deviceID
  }

  /// A back end with a secret. The secret itself is neither kept nor sent.
  public init(_ baseURL: String, secret: String, bundleID: String, deviceID: UUID) {
    self.init(
      baseURL, authorization: MessageAuthentication.sha256Hex(key: Array(secret.utf8), message: Array(bundleID.utf8)),
      deviceID: deviceID)
  }
}

extension HablaServer {
  /// The address alone: the authorization is as good as a password.
  public var description: String { SessionAddress(baseURL).shown }
}

/// The two back ends that the app can talk to.
public enum HablaBackend: String, Sendable, Hashable, CaseIterable, Codable {
  /// Amazon Nova Sonic.
  case nova
  /// Google Gemini.
  case gemini
}
