internal import CGLib

/// Keyed digests (RFC 2104).
enum HMAC {
  /// HMAC-SHA256 as 64 hexadecimal digits, lower case.
  static func sha256(key: String, message: String) -> String {
    let (key, message) = (Array(key.utf8), Array(message.utf8))
    guard
      let digits = unsafe g_compute_hmac_for_data(
        G_CHECKSUM_SHA256, key, gsize(key.count), message, gsize(message.count))
    else { preconditionFailure("GLib knows SHA-256") }
    defer { unsafe g_free(digits) }
    return unsafe String(cString: digits)
  }
}
