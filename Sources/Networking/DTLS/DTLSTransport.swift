public import RTPTransport
public import RealtimeCore

// DTLS 1.2 (RFC 6347) as WebRTC uses it: `use_srtp` (RFC 5764) agrees on keys, certificates are known by the
// fingerprints in the session descriptions (RFC 8122, RFC 8827). No data goes through DTLS itself.
//
// How time gets in: the deadline of the handshake lies on the caller's axis. The timer of a lost flight is OpenSSL's own
// (DTLSv1_get_timeout) and runs by the system's clock, which cannot be exchanged; `nextTimeout(at:)` sets what is left of
// it upon the caller's now. On virtual time a flight is repeated only as real time passes too.

/// One end of a DTLS connection: datagrams in, datagrams out, and at its end the keys for SRTP. It has no socket.
///
/// After each call send all of `nextDatagram`; call `handleTimeout` when `nextTimeout` has come.
/// - Threads: any one at a time. Not for the audio path: OpenSSL allocates.
public struct DTLSTransport: ~Copyable, Sendable {
  /// How far the connection is.
  public enum State: Sendable, Equatable {
    /// Nothing was sent or received.
    case new
    /// The handshake goes on.
    case connecting
    /// The keys are there, and the peer is who its description says.
    case connected
    /// This end has closed the connection.
    case closed
    /// The connection has ended for this reason; nothing brings it back.
    case failed(DTLSError)
  }

  /// Keys for both directions.
  public struct Keys: Sendable, Equatable {
    /// For what this end sends.
    public let sending: SRTPKey
    /// For what the peer sends.
    public let receiving: SRTPKey
  }

  /// Which part this end takes.
  public let role: DTLSRole
  /// How far the connection is.
  public private(set) var state = State.new
  /// The keys, once connected; they stay when the connection is closed.
  public private(set) var keys: Keys?
  /// Datagrams that were no DTLS, or came when nothing was to be read.
  public private(set) var ignoredDatagramCount = 0

  private let fingerprints: [CertificateFingerprint]
  private let timeoutNanoseconds: Int64
  private var session: DTLSSession
  private var deadline: MediaInstant?
  private var outgoing: [[UInt8]] = []

  /// Datagrams that can wait to be sent: a few flights. More take the place of the oldest.
  private static let outgoingLimit = 32

  /// An end that has sent nothing yet.
  /// - Parameters:
  ///   - fingerprints: what the peer's description says; one match is enough. An empty list trusts nobody.
  ///   - profiles: in order of preference; those that DTLS has no number for are left out.
  ///   - handshakeTimeout: seconds from the first flight until the handshake is given up, above 0.
  public init(
    _ role: DTLSRole, certificate: borrowing DTLSCertificate, fingerprints: [CertificateFingerprint],
    profiles: [SRTPProfile] = [.aes128GCM, .aes128CounterModeSHA1x80], handshakeTimeout: Double = 15
  ) throws(DTLSError) {
    precondition(
      handshakeTimeout > 0 && handshakeTimeout < 3_600,
      "DTLSTransport: a handshake of \(handshakeTimeout) s; give more than 0 and less than 3600")
    self.role = role
    self.fingerprints = fingerprints
    timeoutNanoseconds = Int64(handshakeTimeout * 1e9)
    session = try DTLSSession(role, certificate: certificate, profiles: profiles)
  }

  /// Begins: a client sends its first flight, a server waits for one. Does nothing when called again.
  public mutating func start(at now: MediaInstant) {
    guard state == .new else { return }
    state = .connecting
    deadline = now.advanced(byNanoseconds: timeoutNanoseconds)
    if role == .client { advance() }
  }

  /// Takes a datagram from the peer. What is no DTLS is counted and dropped; nothing the network sends can trap.
  public mutating func receive(_ datagram: Span<UInt8>, at now: MediaInstant) {
    guard case .dtls = DatagramKind(datagram), datagram.count <= 65_535 else {
      ignoredDatagramCount += 1
      return
    }
    if state == .new { start(at: now) }
    switch state {
    case .connecting:
      session.feed(datagram)
      advance()
      // What came in the same datagram behind the last flight.
      if state == .connected { readOn() }
    case .connected:
      session.feed(datagram)
      readOn()
    case .new, .closed, .failed: ignoredDatagramCount += 1
    }
  }

  /// The next datagram for the peer, of up to 1,200 bytes; `nil` when there is none.
  public mutating func nextDatagram() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

  /// When `handleTimeout` is to be called next; `nil` when nothing waits.
  public func nextTimeout(at now: MediaInstant) -> MediaInstant? {
    guard state == .connecting, let deadline else { return nil }
    guard let left = session.timeLeft() else { return deadline }
    return min(deadline, now.advanced(byNanoseconds: left))
  }

  /// Sends the last flight again if its time has come, or gives up.
  public mutating func handleTimeout(at now: MediaInstant) {
    guard state == .connecting, let deadline else { return }
    guard now < deadline else {
      fail(.timedOut(seconds: Double(timeoutNanoseconds) * 1e-9))
      return
    }
    if case .failed(let error) = session.handleTimeout() { fail(error) }
    collect()
  }

  /// Tells the peer that the connection ends here; the message is to be sent still.
  public mutating func close() {
    switch state {
    case .connecting, .connected: session.close()
    case .new, .closed, .failed: break
    }
    collect()
    if case .failed = state { return }
    state = .closed
  }

  private mutating func advance() {
    switch session.handshake() {
    case .waiting: break
    case .failed(let error): fail(error)
    case .done: finish()
    }
    collect()
  }

  private mutating func readOn() {
    if case .failed(let error) = session.read() { fail(error) }
    collect()
  }

  /// The handshake is done: is it the peer that was announced, and which keys?
  private mutating func finish() {
    guard fingerprints.contains(where: { session.peerFingerprint($0.algorithm) == $0 }) else {
      let found = session.peerFingerprint(fingerprints.first?.algorithm ?? .sha256)
      session.close()
      fail(.fingerprintMismatch(expected: fingerprints, found: found))
      return
    }
    guard let profile = session.selectedProfile(), let keys = exportKeys(profile) else {
      session.close()
      fail(.noCommonProfile)
      return
    }
    self.keys = keys
    state = .connected
  }

  /// RFC 5764 §4.2: client's key, server's key, client's salt, server's salt, one behind the other.
  private func exportKeys(_ profile: SRTPProfile) -> Keys? {
    let (key, salt) = (profile.keyByteCount, profile.saltByteCount)
    guard let material = session.export(label: "EXTRACTOR-dtls_srtp", byteCount: 2 * (key + salt)),
      let client = try? SRTPKey(
        profile, keyAndSalt: Array(material[..<key]) + material[(2 * key)..<(2 * key + salt)]),
      let server = try? SRTPKey(
        profile, keyAndSalt: Array(material[key..<(2 * key)]) + material[(2 * key + salt)...])
    else { return nil }
    return role == .client ? Keys(sending: client, receiving: server) : Keys(sending: server, receiving: client)
  }

  private mutating func fail(_ error: DTLSError) {
    collect()
    state = .failed(error)
    keys = nil
  }

  private mutating func collect() {
    outgoing += session.takeDatagrams()
    if outgoing.count > Self.outgoingLimit { outgoing.removeFirst(outgoing.count - Self.outgoingLimit) }
  }
}
