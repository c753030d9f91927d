internal import RealtimeCore

/// Encrypts and signs the packets of one RTP stream and its RTCP reports.
/// - Threads: any one at a time. Set-up allocates; `protect` never does.
/// - Source: RFC 3711, RFC 6188, RFC 7714; libsrtp.
public struct SRTPSender: ~Copyable, Sendable {
  /// What the key is for; its trailer lengths tell how much room a packet needs.
  public let profile: SRTPProfile
  /// The only SSRC that packets may carry.
  public let ssrc: UInt32
  private let session: SRTPSession

  /// A sender for the stream of `ssrc`. Never give two senders the same key and SSRC: their packets would share
  /// keystream, and whoever records both can read them.
  public init(key: SRTPKey, ssrc: UInt32) throws(SRTPError) {
    profile = key.profile
    self.ssrc = ssrc
    session = try SRTPSession(key, .only([ssrc]), replayWindow: 128)
  }

  /// Protects the RTP packet in the first `byteCount` bytes of `packet`, in place.
  /// - Returns: the size it now has, `profile.trailerByteCount` more.
  /// - Throws: `noRoom` before anything is touched; `replayed` when the sequence number was used before; `tooOld` when it
  ///   lies 128 or more behind; `unknownSource`, `malformed`, `keyExpired`.
  @_noLocks
  public mutating func protect(_ packet: inout MutableSpan<UInt8>, byteCount: Int) throws(SRTPError) -> Int {
    try requireRoom(packet.count, byteCount: byteCount, minimum: 12, trailer: profile.trailerByteCount)
    try requireOwnSource(packet.bigEndian32(at: 8))
    return try session.protect(&packet, byteCount: byteCount, ssrc: ssrc)
  }

  /// Protects the RTCP packet in the first `byteCount` bytes of `packet`, in place; it gets
  /// `profile.controlTrailerByteCount` longer. Otherwise as `protect(_:byteCount:)`.
  @_noLocks
  public mutating func protectControl(_ packet: inout MutableSpan<UInt8>, byteCount: Int) throws(SRTPError) -> Int {
    try requireRoom(packet.count, byteCount: byteCount, minimum: 8, trailer: profile.controlTrailerByteCount)
    try requireOwnSource(packet.bigEndian32(at: 4))
    return try session.protectControl(&packet, byteCount: byteCount, ssrc: ssrc)
  }

  @_noLocks
  private func requireRoom(_ room: Int, byteCount: Int, minimum: Int, trailer: Int) throws(SRTPError) {
    guard byteCount >= minimum, byteCount <= 65_535 else { throw .malformed(byteCount: byteCount) }
    let needed = byteCount &+ trailer
    guard needed <= room else { throw .noRoom(needed: needed, available: room) }
  }

  @_noLocks
  private func requireOwnSource(_ given: UInt32) throws(SRTPError) {
    guard given == ssrc else { throw .unknownSource(given) }
  }
}
