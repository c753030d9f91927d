internal import Foundation
public import Networking
internal import TestSupport
internal import Testing

/// A coturn server on the loopback interface, of one test's own. (Debian: `apt-get install coturn`.)
public final class RelayServer {
  /// Where STUN and TURN over UDP and TCP are answered.
  public let port: UInt16
  /// Where TURN over TLS is.
  public let tlsPort: UInt16
  /// The authority that vouches for its certificate, as a PEM file.
  public let authority: String
  private let folder: URL
  private let program: SpawnedProgram

  /// Its only user.
  public static let (username, password) = ("test", "secret")

  /// Starts the server and waits until it answers.
  public init(certificateName: String = "IP:127.0.0.1") throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-relay-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    port = try LoopbackSocket().port
    tlsPort = try LoopbackSocket().port
    authority = folder.path + "/cert.pem"
    try SpawnedProgram.run(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
        "/CN=relay", "-addext", "subjectAltName=\(certificateName)", "-keyout", folder.path + "/key.pem", "-out",
        authority,
      ])
    program = try SpawnedProgram(
      "/usr/bin/turnserver",
      [
        "-n", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--listening-port", "\(port)",
        "--tls-listening-port", "\(tlsPort)", "--cert", authority, "--pkey", folder.path + "/key.pem", "--no-dtls",
        "--lt-cred-mech", "--user", "\(Self.username):\(Self.password)", "--realm", "example.test", "--no-cli",
        "--allow-loopback-peers", "--log-file", folder.path + "/log", "--simple-log", "--verbose", "--userdb",
        folder.path + "/db", "--pidfile", folder.path + "/pid",
      ])
    // It is up when it answers a binding request (RFC 8489 §5).
    let socket = try LoopbackSocket()
    let request: [UInt8] = [0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + (0..<12).map { UInt8($0) }
    var isUp = false
    for _ in 0..<100 where !isUp {
      socket.send(request, to: port)
      isUp = socket.receive(within: 100) != nil
    }
    try #require(isUp, "turnserver does not answer: \(log)")
  }

  deinit {
    program.crash()
    try? FileManager.default.removeItem(at: folder)
  }

  /// What it has logged.
  public var log: String { (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "no log" }

  /// The server as a client's setting.
  public func turn(_ transport: ICEServer.RelayTransport, password: String = RelayServer.password) -> ICEServer {
    .turn(
      "127.0.0.1", port: transport == .tls ? tlsPort : port, transport: transport, username: Self.username,
      password: password)
  }

  /// Stops it without an end, and lets it go on.
  public func suspend(_ isSuspended: Bool) { program.suspend(isSuspended) }
  /// Ends it as a crash would.
  public func crash() { program.crash() }
}
