internal import CDTLS

/// OpenSSL's queue of errors, one for each thread.
enum OpenSSLErrors {
  static func clear() { ERR_clear_error() }

  /// Takes all that is in the queue: the words of the first error, and the alert if a peer's alert was the reason.
  static func take() -> (words: String, alert: String?) {
    var words = ""
    var alert: String?
    while true {
      let code = ERR_get_error()
      if code == 0 { break }
      let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      if words.isEmpty { words = reason }
      // Reasons from 1,000 on are alerts received: 1,000 and the alert's number (openssl/sslerr.h).
      if ERR_GET_LIB(code) == ERR_LIB_SSL, ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET, alert == nil { alert = reason }
    }
    return (words.isEmpty ? "no reason given" : words, alert)
  }
}
