internal import CDTLS
public import RTPTransport

/// A self-signed certificate on an ECDSA key (P-256, SHA-256), as WebRTC wants it (RFC 8827 §6.5): its fingerprint in the
/// session description is what vouches for it.
///
/// Made once for a call or for a process: an end that shows the same one to all peers can be recognised by them.
/// - Threads: any one at a time. Making it takes under 1 ms.
@safe  // both handles are made in init, only referenced by others through OpenSSL's own counts, released once in deinit
public struct DTLSCertificate: ~Copyable, @unchecked Sendable {
  let key: OpaquePointer
  let certificate: OpaquePointer
  /// SHA-256 of the certificate: what the description says.
  public let fingerprint: CertificateFingerprint

  /// Makes a key and a certificate of it, valid from a day before to 30 days after now.
  /// - Parameter secondsSince1970: the wall clock.
  public init(secondsSince1970: Int) throws(DTLSError) {
    OpenSSLErrors.clear()
    guard let key = unsafe antiphon_make_p256_key() else { throw .unavailable(OpenSSLErrors.take().words) }
    guard let certificate = unsafe X509_new() else {
      unsafe EVP_PKEY_free(key)
      throw .unavailable(OpenSSLErrors.take().words)
    }
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe Self.fill(certificate, key, secondsSince1970),
      unsafe Self.hash(certificate, EVP_sha256(), into: &digest)
    else {
      unsafe X509_free(certificate)
      unsafe EVP_PKEY_free(key)
      throw .unavailable(OpenSSLErrors.take().words)
    }
    unsafe self.key = key
    unsafe self.certificate = certificate
    fingerprint = CertificateFingerprint(.sha256, digest: digest)
  }

  deinit {
    unsafe X509_free(certificate)
    unsafe EVP_PKEY_free(key)
  }

  private static func fill(_ certificate: OpaquePointer, _ key: OpaquePointer, _ now: Int) -> Bool {
    var serial: UInt64 = 0
    guard unsafe withUnsafeMutableBytes(of: &serial, { unsafe RAND_bytes($0.baseAddress, Int32($0.count)) }) == 1 else {
      return false
    }
    let name = unsafe X509_get_subject_name(certificate)
    let day = 86_400
    return unsafe X509_set_version(certificate, 2) == 1  // counts from 0: version 3
      && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1
      && ASN1_TIME_set(X509_getm_notBefore(certificate), now - day) != nil
      && ASN1_TIME_set(X509_getm_notAfter(certificate), now + 30 * day) != nil
      && X509_set_pubkey(certificate, key) == 1
      && X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "WebRTC", -1, -1, 0) == 1
      && X509_set_issuer_name(certificate, name) == 1
      && X509_sign(certificate, key, EVP_sha256()) > 0
  }

  /// Whether the hash of a certificate's DER form could be made; `digest` has the hash's length.
  static func hash(_ certificate: OpaquePointer, _ hash: OpaquePointer?, into digest: inout [UInt8]) -> Bool {
    var byteCount = UInt32(digest.count)
    return unsafe X509_digest(certificate, hash, &digest, &byteCount) == 1 && Int(byteCount) == digest.count
  }
}
