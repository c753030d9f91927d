internal import RTPTransport

extension ICECredentials {
  /// Fresh ones from the system's random source, longer than RFC 8445 §5.3 asks: 48 bits of name, 192 bits of secret.
  static func random() -> ICECredentials {
    var source = SystemRandomNumberGenerator()
    return ICECredentials(
      usernameFragment: text(8, from: &source), password: text(32, from: &source))
  }

  private static func text(_ count: Int, from source: inout SystemRandomNumberGenerator) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return String((0..<count).map { _ in alphabet[Int.random(in: 0..<64, using: &source)] })
  }
}
