internal import CGLib

/// HMAC-SHA256 (RFC 2104, FIPS 180-4), by which a client shows that it knows a secret without sending it.
package enum MessageAuthentication {
  /// The code of `message` under `key`, as 64 lower-case hexadecimal digits.
  package static func sha256Hex(key: [UInt8], message: [UInt8]) -> String {
    // GLib hands out memory of its own.
    let digits = unsafe g_compute_hmac_for_data(G_CHECKSUM_SHA256, key, gsize(key.count), message, gsize(message.count))
    guard let digits = unsafe digits else { return "" }
    defer { unsafe g_free(digits) }
    return unsafe String(cString: digits)
  }
}
