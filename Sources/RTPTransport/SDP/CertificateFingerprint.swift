/// A hash of a certificate, an `a=fingerprint` line: "sha-256 4A:AD:…" (RFC 8122 §5).
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
  /// Which hash it is. MD5 and SHA-1 are left out: a certificate can be made to fit them.
  public enum Algorithm: String, Hashable, Sendable, CaseIterable {
    case sha256 = "sha-256"
    case sha384 = "sha-384"
    case sha512 = "sha-512"

    /// Bytes of the hash.
    public var byteCount: Int {
      switch self {
      case .sha256: 32
      case .sha384: 48
      case .sha512: 64
      }
    }
  }

  /// Which hash it is.
  public let algorithm: Algorithm
  /// The hash of the certificate's DER form.
  public let digest: [UInt8]

  /// A hash; traps unless it has the algorithm's length.
  public init(_ algorithm: Algorithm, digest: [UInt8]) {
    precondition(
      digest.count == algorithm.byteCount,
      "CertificateFingerprint: \(digest.count) bytes; \(algorithm.rawValue) has \(algorithm.byteCount)")
    self.algorithm = algorithm
    self.digest = digest
  }

  /// Reads "sha-256 4A:AD:…", in upper or lower case; `nil` for another hash or form.
  public init?(_ text: String) {
    let words = text.split(separator: " ")
    guard words.count == 2, let algorithm = Algorithm(rawValue: words[0].lowercased()) else { return nil }
    let pairs = words[1].split(separator: ":", omittingEmptySubsequences: false)
    let bytes = pairs.compactMap { $0.count == 2 && $0.allSatisfy(\.isHexDigit) ? UInt8($0, radix: 16) : nil }
    guard bytes.count == pairs.count, bytes.count == algorithm.byteCount else { return nil }
    self.init(algorithm, digest: bytes)
  }

  /// As it stands in a description: upper case, since RFC 8122 demands it.
  public var text: String {
    let digits = Array("0123456789ABCDEF")
    let pairs = digest.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }
    return "\(algorithm.rawValue) \(pairs.joined(separator: ":"))"
  }

  /// As it stands in a description.
  public var description: String { text }
}
