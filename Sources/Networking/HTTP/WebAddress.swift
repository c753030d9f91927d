internal import CGLib
internal import CSoup

/// A URL that was looked through.
@safe  // `uri` is made in init and given back in deinit; a GUri never changes
final class WebAddress: @unchecked Sendable {
  let uri: OpaquePointer
  let host: String
  /// Host and port, for messages.
  let place: String
  /// Scheme, host and port: what a redirect may leave.
  let origin: String
  let isEncrypted: Bool

  /// - Parameter schemes: those that serve, as "http or https".
  init(_ text: String, schemes: [String]) throws(HTTPError) {
    let expected = schemes.map { "\($0)://host/path" }.joined(separator: " or ")
    var error: UnsafeMutablePointer<GError>?
    let parsed = unsafe antiphon_uri_parse(text, &error)
    unsafe g_clear_error(&error)
    guard let parsed = unsafe parsed else { throw .invalidURL(text, expected: expected) }
    let scheme = unsafe String(cString: g_uri_get_scheme(parsed)).lowercased()
    let name = unsafe g_uri_get_host(parsed).map { unsafe String(cString: $0) } ?? ""
    guard schemes.contains(scheme), !name.isEmpty else {
      unsafe g_uri_unref(parsed)
      throw .invalidURL(text, expected: expected)
    }
    unsafe uri = parsed
    (host, place, origin, isEncrypted) = unsafe Self.parts(of: parsed, scheme: scheme, name: name)
  }

  deinit { unsafe g_uri_unref(uri) }

  @safe static func origin(of uri: OpaquePointer) -> (origin: String, isEncrypted: Bool) {
    let scheme = unsafe String(cString: g_uri_get_scheme(uri)).lowercased()
    let name = unsafe g_uri_get_host(uri).map { unsafe String(cString: $0) } ?? ""
    let parts = unsafe parts(of: uri, scheme: scheme, name: name)
    return (parts.2, parts.3)
  }

  private static func parts(of uri: OpaquePointer, scheme: String, name: String) -> (String, String, String, Bool) {
    let isEncrypted = scheme == "https" || scheme == "wss"
    let given = unsafe g_uri_get_port(uri)
    let port = given > 0 ? Int(given) : isEncrypted ? 443 : 80
    let shown = name.contains(":") ? "[\(name)]" : name
    let place = "\(shown):\(port)"
    return (name, place, "\(isEncrypted ? "s" : "")\(place.lowercased())", isEncrypted)
  }
}
