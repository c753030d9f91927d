internal import Foundation

/// The login token, as far as it can be checked without the application's key: form, algorithm, claims, time.
struct VonageToken {
  let user: String
  let applicationID: String
  /// Seconds since 1970.
  let expiry: Double

  /// Why a token is refused.
  enum Problem: String, Error {
    case tokenExpired
    /// All else; the vendor's reasons for it are not published.
    case unknown
  }

  init(_ text: String, now: Double = Date().timeIntervalSince1970) throws(Problem) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[2].isEmpty, let header = Self.json(parts[0]), let claims = Self.json(parts[1]),
      header["alg"] == "RS256", let application = claims["application_id"]?.string, let user = claims["sub"]?.string,
      let issued = claims["iat"]?.number, claims["jti"]?.string != nil
    else { throw .unknown }
    // 15 minutes where nothing is said, a day at most.
    let expiry = claims["exp"]?.number ?? issued + 900
    guard expiry - issued <= 86_400, issued <= now + 60 else { throw .unknown }
    guard expiry > now else { throw .tokenExpired }
    self.user = user
    applicationID = application
    self.expiry = expiry
  }

  private static func json(_ part: Substring) -> JSON? {
    var text = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: text).flatMap { try? JSONReader.read(Array($0)) }
  }
}
