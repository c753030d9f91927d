internal import CDTLS
internal import RTPTransport

/// One DTLS connection of OpenSSL between two memory BIOs: what it reads from, what it writes to.
@safe  // `ssl` owns both BIOs; it is made in init, used only here, released once in deinit
struct DTLSSession: ~Copyable, @unchecked Sendable {
  private let ssl: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer

  /// What a step of the handshake came to.
  enum Step: Equatable {
    case done, waiting
    case failed(DTLSError)
  }

  /// The largest datagram written: what every path carries, less IPv6 and UDP heads (RFC 8200 §5), rounded down.
  static let datagramLimit = 1_200

  init(_ role: DTLSRole, certificate: borrowing DTLSCertificate, profiles: [SRTPProfile]) throws(DTLSError) {
    OpenSSLErrors.clear()
    guard let context = unsafe SSL_CTX_new(DTLS_method()) else { throw .unavailable(OpenSSLErrors.take().words) }
    defer { unsafe SSL_CTX_free(context) }  // `ssl` has a reference of its own
    let names = profiles.compactMap(\.opensslName).joined(separator: ":")
    // Ciphers and curves: RFC 8827 §6.5, with forward secrecy and without SHA-1 in front.
    guard unsafe antiphon_set_dtls12_only(context) == 1,
      unsafe SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20:ECDHE+AES128:!aNULL:!PSK") == 1,
      unsafe antiphon_set_groups(context, "X25519:P-256:P-384") == 1,
      unsafe SSL_CTX_use_certificate(context, certificate.certificate) == 1,
      unsafe SSL_CTX_use_PrivateKey(context, certificate.key) == 1,
      unsafe SSL_CTX_set_tlsext_use_srtp(context, names) == 0  // 0 is success here
    else { throw .unavailable(OpenSSLErrors.take().words) }
    // A certificate must come; any will do, since its fingerprint decides when the handshake is done.
    unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    unsafe SSL_CTX_set_cert_verify_callback(context, { _, _ in 1 }, nil)
    unsafe antiphon_set_options(context)

    guard let ssl = unsafe SSL_new(context) else { throw .unavailable(OpenSSLErrors.take().words) }
    guard let incoming = unsafe antiphon_new_memory() else {
      unsafe SSL_free(ssl)
      throw .unavailable(OpenSSLErrors.take().words)
    }
    guard let outgoing = unsafe antiphon_new_memory() else {
      _ = unsafe BIO_free(incoming)
      unsafe SSL_free(ssl)
      throw .unavailable(OpenSSLErrors.take().words)
    }
    unsafe SSL_set_bio(ssl, incoming, outgoing)
    unsafe antiphon_set_mtu(ssl, Self.datagramLimit)
    // 100 ms, then twice as long each time up to 3.2 s: shorter than the RFC's second, since ICE has found the path open
    // and a lost flight is silence at the start of the call.
    unsafe DTLS_set_timer_cb(ssl) { _, last in last == 0 ? 100_000 : min(last * 2, 3_200_000) }
    switch role {
    case .client: unsafe SSL_set_connect_state(ssl)
    case .server: unsafe SSL_set_accept_state(ssl)
    }
    unsafe self.ssl = ssl
    unsafe self.incoming = incoming
    unsafe self.outgoing = outgoing
  }

  deinit { unsafe SSL_free(ssl) }

  /// Hands one datagram in; what of it is not read is dropped, as a socket would.
  mutating func feed(_ datagram: Span<UInt8>) {
    _ = unsafe antiphon_reset(incoming)
    _ = unsafe datagram.withUnsafeBufferPointer { unsafe BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
  }

  /// Goes on with the handshake as far as the input allows.
  mutating func handshake() -> Step {
    OpenSSLErrors.clear()
    let result = unsafe SSL_do_handshake(ssl)
    return result == 1 ? .done : unsafe step(SSL_get_error(ssl, result))
  }

  /// Reads what the peer sends behind the handshake: its data is dropped, its repeated flights are answered.
  mutating func read() -> Step {
    OpenSSLErrors.clear()
    var dropped = [UInt8](repeating: 0, count: 2_048)
    while true {
      let count = unsafe SSL_read(ssl, &dropped, Int32(dropped.count))
      if count <= 0 { return unsafe step(SSL_get_error(ssl, count)) }
    }
  }

  private func step(_ code: Int32) -> Step {
    switch code {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waiting
    case SSL_ERROR_ZERO_RETURN: return .failed(.closedByPeer)
    default:
      let (words, alert) = OpenSSLErrors.take()
      return .failed(alert.map { .refusedByPeer($0) } ?? .handshakeFailed(words))
    }
  }

  /// Nanoseconds until the last flight must be sent again, by the system's clock; `nil` when none waits for an answer.
  func timeLeft() -> Int64? {
    var nanoseconds: Int64 = 0
    return unsafe antiphon_timeout(ssl, &nanoseconds) == 1 ? nanoseconds : nil
  }

  /// Sends the last flight again if its time has come.
  mutating func handleTimeout() -> Step {
    OpenSSLErrors.clear()
    return unsafe antiphon_handle_timeout(ssl) >= 0 ? .waiting : step(SSL_ERROR_SSL)
  }

  /// Tells the peer that nothing more comes.
  mutating func close() {
    OpenSSLErrors.clear()
    _ = unsafe SSL_shutdown(ssl)
    OpenSSLErrors.clear()
  }

  /// Datagrams that OpenSSL has written since the last call.
  mutating func takeDatagrams() -> [[UInt8]] {
    let count = unsafe antiphon_pending(outgoing)
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let taken = unsafe BIO_read(outgoing, &bytes, Int32(count))
    return DTLSRecords.datagrams(Array(bytes.prefix(max(0, Int(taken)))), limit: Self.datagramLimit)
  }

  /// The hash of the peer's certificate; `nil` when none came.
  func peerFingerprint(_ algorithm: CertificateFingerprint.Algorithm) -> CertificateFingerprint? {
    guard let certificate = unsafe SSL_get1_peer_certificate(ssl) else { return nil }
    defer { unsafe X509_free(certificate) }
    let hash =
      switch algorithm {
      case .sha256: unsafe EVP_sha256()
      case .sha384: unsafe EVP_sha384()
      case .sha512: unsafe EVP_sha512()
      }
    var digest = [UInt8](repeating: 0, count: algorithm.byteCount)
    guard unsafe DTLSCertificate.hash(certificate, hash, into: &digest) else { return nil }
    return CertificateFingerprint(algorithm, digest: digest)
  }

  /// The profile agreed on by `use_srtp`; `nil` when none was.
  func selectedProfile() -> SRTPProfile? {
    guard let selected = unsafe SSL_get_selected_srtp_profile(ssl) else { return nil }
    let number = unsafe UInt16(truncatingIfNeeded: selected.pointee.id)
    return SRTPProfile.allCases.first { $0.dtlsIdentifier == number }
  }

  /// Keying material by RFC 5705; `nil` when OpenSSL refuses.
  func export(label: String, byteCount: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let result = unsafe SSL_export_keying_material(ssl, &bytes, byteCount, label, label.utf8.count, nil, 0, 0)
    return result == 1 ? bytes : nil
  }
}

extension SRTPProfile {
  /// OpenSSL's name of the profile; `nil` for one that it does not know.
  fileprivate var opensslName: String? {
    switch self {
    case .aes128CounterModeSHA1x80: "SRTP_AES128_CM_SHA1_80"
    case .aes128CounterModeSHA1x32: "SRTP_AES128_CM_SHA1_32"
    case .aes256CounterModeSHA1x80: nil
    case .aes128GCM: "SRTP_AEAD_AES_128_GCM"
    case .aes256GCM: "SRTP_AEAD_AES_256_GCM"
    }
  }
}
