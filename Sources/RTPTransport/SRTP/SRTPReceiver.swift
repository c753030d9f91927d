internal import RealtimeCore

/// Checks and decrypts the packets of a peer: RTP and RTCP of one or a few SSRCs under one key.
/// - Threads: any one at a time. Set-up allocates. Afterwards only the first authentic packet of an SSRC that was not
///   named at set-up does, at most `maximumSourceCount` times; forged packets never.
/// - Source: RFC 3711, RFC 6188, RFC 7714; libsrtp.
public struct SRTPReceiver: ~Copyable, Sendable {
  /// What the key is for.
  public let profile: SRTPProfile
  /// How many SSRCs may be heard, those named at set-up included.
  public let maximumSourceCount: Int
  private let learnsSources: Bool
  private let session: SRTPSession
  private var sources: FixedBuffer<UInt32>
  private var sourceCount: Int

  /// A receiver for a peer whose SSRCs were announced (SDP `a=ssrc`): packets of others are `unknownSource`.
  /// - Parameter replayWindow: how many packets a late one may lie behind the newest, 64 to 32,767.
  public init(key: SRTPKey, sources: [UInt32], replayWindow: Int = 128) throws(SRTPError) {
    Self.checkWindow(replayWindow)
    profile = key.profile
    maximumSourceCount = sources.count
    learnsSources = false
    session = try SRTPSession(key, .only(sources), replayWindow: replayWindow)
    self.sources = FixedBuffer(repeating: 0, count: sources.count)
    for (index, ssrc) in sources.enumerated() { self.sources[index] = ssrc }
    sourceCount = sources.count
  }

  /// A receiver for a peer whose SSRCs are learnt from its authentic packets.
  /// - Parameters:
  ///   - maximumSourceCount: 1 to 64; a peer that starts anew often needs more than 1.
  ///   - replayWindow: how many packets a late one may lie behind the newest, 64 to 32,767.
  public init(key: SRTPKey, maximumSourceCount: Int = 8, replayWindow: Int = 128) throws(SRTPError) {
    Self.checkWindow(replayWindow)
    precondition(
      (1...64).contains(maximumSourceCount), "SRTPReceiver: \(maximumSourceCount) sources are outside 1 to 64")
    profile = key.profile
    self.maximumSourceCount = maximumSourceCount
    learnsSources = true
    session = try SRTPSession(key, .anyInbound, replayWindow: replayWindow)
    sources = FixedBuffer(repeating: 0, count: maximumSourceCount)
    sourceCount = 0
  }

  private static func checkWindow(_ size: Int) {
    precondition((64...32_767).contains(size), "SRTPReceiver: a replay window of \(size) is outside 64 to 32767")
  }

  /// Opens the protected RTP packet in the first `byteCount` bytes of `packet`, in place.
  /// - Returns: the size without the trailer.
  /// - Throws: one of `authenticationFailed`, `replayed`, `tooOld`, `unknownSource`, `tooManySources`, `malformed`,
  ///   `keyExpired`: drop the packet, whose bytes may have changed. Never traps, whatever the bytes.
  @_noLocks
  public mutating func unprotect(_ packet: inout MutableSpan<UInt8>, byteCount: Int) throws(SRTPError) -> Int {
    let minimum = RTPHeader.byteCount &+ profile.trailerByteCount
    guard byteCount >= minimum, byteCount <= packet.count, byteCount <= 65_535 else {
      throw .malformed(byteCount: byteCount)
    }
    let ssrc = packet.bigEndian32(at: 8)
    let isKnown = try admit(ssrc)
    let count = try session.unprotect(&packet, byteCount: byteCount, ssrc: ssrc)
    if !isKnown { remember(ssrc) }
    return count
  }

  /// Opens the protected RTCP packet in the first `byteCount` bytes of `packet`; otherwise as `unprotect(_:byteCount:)`.
  @_noLocks
  public mutating func unprotectControl(_ packet: inout MutableSpan<UInt8>, byteCount: Int) throws(SRTPError) -> Int {
    let minimum = 8 &+ profile.controlTrailerByteCount
    guard byteCount >= minimum, byteCount <= packet.count, byteCount <= 65_535 else {
      throw .malformed(byteCount: byteCount)
    }
    let ssrc = packet.bigEndian32(at: 4)
    let isKnown = try admit(ssrc)
    let count = try session.unprotectControl(&packet, byteCount: byteCount, ssrc: ssrc)
    if !isKnown { remember(ssrc) }
    return count
  }

  /// Whether the SSRC is known; throws when it is not and cannot become so.
  @_noLocks
  private func admit(_ ssrc: UInt32) throws(SRTPError) -> Bool {
    for index in 0..<sourceCount where sources[index] == ssrc { return true }
    guard learnsSources else { throw .unknownSource(ssrc) }
    guard sourceCount < maximumSourceCount else { throw .tooManySources(limit: maximumSourceCount) }
    return false
  }

  @_noLocks
  private mutating func remember(_ ssrc: UInt32) {
    sources[sourceCount] = ssrc
    sourceCount &+= 1
  }
}
