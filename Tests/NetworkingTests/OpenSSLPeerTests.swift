import Foundation
import Networking
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// A handshake with OpenSSL's own programs over the loopback interface; they print the keying material that they derive,
/// which must be ours. A machine without `openssl` fails (Debian: `apt-get install openssl`).
@Suite(.serialized) struct OpenSSLPeerTests {
  private static let profiles: [SRTPProfile] = [.aes128CounterModeSHA1x80, .aes128GCM]

  private func name(_ profile: SRTPProfile) -> String {
    profile == .aes128GCM ? "SRTP_AEAD_AES_128_GCM" : "SRTP_AES128_CM_SHA1_80"
  }

  /// A running `openssl`; its output is kept in a file.
  private final class Program {
    let process = Process()
    private let input = Pipe()
    private let log: URL

    init(_ arguments: [String], in folder: URL) throws {
      log = folder.appendingPathComponent("log-\(UUID())")
      _ = FileManager.default.createFile(atPath: log.path, contents: nil)
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["openssl"] + arguments
      process.currentDirectoryURL = folder
      process.standardInput = input
      let output = try FileHandle(forWritingTo: log)
      process.standardOutput = output
      process.standardError = output
      try process.run()
    }

    var text: String { (try? String(contentsOf: log, encoding: .utf8)) ?? "" }

    /// What stands behind `label` in the output, as soon as it is there.
    func value(_ label: String) -> String? {
      for _ in 0..<100 {
        for line in text.split(separator: "\n") {
          if let range = line.range(of: label) {
            return line[range.upperBound...].trimmingCharacters(in: .whitespaces)
          }
        }
        usleep(20_000)
      }
      return nil
    }

    /// Waits for the end, at most 10 s. (`waitUntilExit` runs a loop that other tests' processes may keep from waking.)
    func finish() {
      for _ in 0..<500 where process.isRunning { usleep(20_000) }
    }

    deinit {
      // Not SIGTERM: a process started from a dispatch thread inherits that thread's blocked signals.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      finish()
    }
  }

  private func withCertificate(_ body: (URL, CertificateFingerprint) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // An RSA certificate: ours are ECDSA, a peer's need not be.
    let making = try Program(
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
        "-subj",
        "/CN=peer",
      ], in: folder)
    making.finish()
    let printing = try Program(["x509", "-in", "cert.pem", "-noout", "-fingerprint", "-sha256"], in: folder)
    let digest = try #require(printing.value("ingerprint="))
    try body(folder, try #require(CertificateFingerprint("sha-256 " + digest)))
  }

  /// Moves datagrams between the transport and the peer's port until it is connected or 10 s have passed.
  private func connect(_ transport: inout DTLSTransport, _ socket: LoopbackSocket, to peer: UInt16?) -> UInt16? {
    var peer = peer
    let start = monotonicNow()
    transport.start(at: start)
    while monotonicNow().milliseconds(since: start) < 10_000, transport.state == .connecting {
      if let peer { while let datagram = transport.nextDatagram() { socket.send(datagram, to: peer) } }
      if let (bytes, from) = socket.receive(within: 20) {
        peer = from
        transport.receive(bytes.span, at: monotonicNow())
      }
      let now = monotonicNow()
      if let time = transport.nextTimeout(at: now), time <= now { transport.handleTimeout(at: now) }
    }
    if let peer { while let datagram = transport.nextDatagram() { socket.send(datagram, to: peer) } }
    return peer
  }

  /// RFC 5764 §4.2's order, in hexadecimal.
  private func material(_ keys: DTLSTransport.Keys, isClient: Bool) throws -> String {
    let (client, server) = isClient ? (keys.sending, keys.receiving) : (keys.receiving, keys.sending)
    func bytes(_ key: SRTPKey) throws -> [UInt8] {
      Array(try #require(Data(base64Encoded: String(key.inline.dropFirst("inline:".count)))))
    }
    let (ours, theirs) = (try bytes(client), try bytes(server))
    let count = keys.sending.profile.keyByteCount
    return (ours[..<count] + theirs[..<count] + ours[count...] + theirs[count...])
      .map { String(format: "%02X", $0) }.joined()
  }

  private func exportArguments(_ profile: SRTPProfile) -> [String] {
    [
      "-dtls1_2", "-use_srtp", name(profile), "-keymatexport", "EXTRACTOR-dtls_srtp", "-keymatexportlen",
      "\(2 * (profile.keyByteCount + profile.saltByteCount))", "-cert", "cert.pem", "-key", "key.pem",
    ]
  }

  @Test(arguments: profiles)
  func anOpenSSLServerAgreesOnOurKeys(_ profile: SRTPProfile) throws {
    try withCertificate { folder, fingerprint in
      let port = try LoopbackSocket().port
      let server = try Program(
        ["s_server", "-accept", "\(port)", "-Verify", "1"] + exportArguments(profile), in: folder)
      _ = server.value("ACCEPT")
      let socket = try LoopbackSocket()
      let certificate = try DTLSCertificate(secondsSince1970: Int(Date().timeIntervalSince1970))
      var client = try DTLSTransport(.client, certificate: certificate, fingerprints: [fingerprint])
      _ = connect(&client, socket, to: port)
      let state = client.state
      #expect(state == .connected, "\(server.text)")
      let found = client.keys
      let keys = try #require(found)
      #expect(keys.sending.profile == profile)
      #expect(server.value("Keying material:") == (try material(keys, isClient: true)), "\(server.text)")
    }
  }

  @Test(arguments: profiles)
  func anOpenSSLClientAgreesOnOurKeys(_ profile: SRTPProfile) throws {
    try withCertificate { folder, fingerprint in
      let socket = try LoopbackSocket()
      let certificate = try DTLSCertificate(secondsSince1970: Int(Date().timeIntervalSince1970))
      var server = try DTLSTransport(.server, certificate: certificate, fingerprints: [fingerprint])
      let client = try Program(
        ["s_client", "-connect", "127.0.0.1:\(socket.port)"] + exportArguments(profile), in: folder)
      _ = connect(&server, socket, to: nil)
      let state = server.state
      #expect(state == .connected, "\(client.text)")
      let found = server.keys
      let keys = try #require(found)
      #expect(keys.sending.profile == profile)
      #expect(client.value("Keying material:") == (try material(keys, isClient: false)), "\(client.text)")
    }
  }

  @Test func aPeerWithAnotherCertificateIsRefused() throws {
    try withCertificate { folder, _ in
      let port = try LoopbackSocket().port
      let server = try Program(
        ["s_server", "-accept", "\(port)", "-Verify", "1"] + exportArguments(.aes128GCM), in: folder)
      _ = server.value("ACCEPT")
      let certificate = try DTLSCertificate(secondsSince1970: Int(Date().timeIntervalSince1970))
      var client = try DTLSTransport(.client, certificate: certificate, fingerprints: [certificate.fingerprint])
      _ = connect(&client, try LoopbackSocket(), to: port)
      guard case .failed(.fingerprintMismatch) = client.state else {
        Issue.record("the client is \(client.state)")
        return
      }
    }
  }
}
