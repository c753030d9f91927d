import Foundation
import Networking
import Testing

/// Certificates of one test's own, made by `openssl`; they go with it.
final class Certificates: Sendable {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-tls-\(UUID().uuidString)")

  /// The authority, whose file `authority` is.
  init() async throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try await openssl(
      ["req", "-x509", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=Test authority"]
        + Self.key)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
  var authority: TLSTrust { .authorities(inFile: path("ca.pem")) }
  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// A certificate of the authority.
  /// - Parameter days: negative for one that has expired.
  func identity(_ name: String, for host: String = "IP:127.0.0.1", days: Int = 2) async throws -> TLSIdentity {
    try "subjectAltName=\(host)\n".write(toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
    try await openssl(
      ["req", "-nodes", "-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"] + Self.key)
    try await openssl([
      "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
      "\(name).pem",
      "-days", "\(days)", "-extfile", "\(name).ext",
    ])
    return TLSIdentity(certificateFile: path("\(name).pem"), keyFile: path("\(name).key"))
  }

  /// A certificate that nobody but itself vouches for.
  func selfSigned() async throws -> TLSIdentity {
    try await openssl(
      [
        "req", "-x509", "-nodes", "-keyout", "self.key", "-out", "self.pem", "-days", "2", "-subj", "/CN=self",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
      ] + Self.key)
    return TLSIdentity(certificateFile: path("self.pem"), keyFile: path("self.key"))
  }

  private func openssl(_ words: [String]) async throws {
    let child = try PeerProcess("openssl", words, in: folder)
    try #require(child.finish().status == 0, "openssl \(words.joined(separator: " ")) fails")
  }
}

/// A port that takes connections and says nothing, ever.
final class SilentPort: Sendable {
  private let socket: Int32
  let port: Int

  init() throws {
    socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let fd = socket
    try unsafe withUnsafeMutablePointer(to: &address) {
      try unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try #require(unsafe bind(fd, $0, size) == 0 && listen(fd, 16) == 0 && getsockname(fd, $0, &size) == 0)
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
  }

  deinit { close(socket) }
}

/// Waits until a condition holds, at most 10 s.
func eventually(_ what: String, _ condition: () async -> Bool) async throws {
  let end = EventLoop.now.advanced(byMilliseconds: 10_000)
  while await !condition() {
    try #require(EventLoop.now < end, "not within 10 s: \(what)")
    try await Task.sleep(for: .milliseconds(2))
  }
}
