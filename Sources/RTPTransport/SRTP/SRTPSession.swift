internal import CSRTP
internal import RealtimeCore

/// One libsrtp session, made at set-up; the only file that calls libsrtp with a packet.
@safe  // `session` is created in init, used only here, deallocated once in deinit; each call stays inside its span
struct SRTPSession: ~Copyable, @unchecked Sendable {
  private let session: srtp_t

  /// Which packets a session takes.
  enum Sources {
    /// Any SSRC; libsrtp makes a stream at the first authentic packet of each.
    case anyInbound
    /// These only, whose streams are made here.
    case only([UInt32])
  }

  init(_ key: SRTPKey, _ sources: Sources, replayWindow: Int) throws(SRTPError) {
    try SRTPLibrary.start()
    var policy = unsafe srtp_policy_t()
    unsafe key.profile.fill(&policy)
    unsafe policy.window_size = UInt(replayWindow)
    var keyAndSalt = key.keyAndSalt
    defer { for index in keyAndSalt.indices { keyAndSalt[index] = 0 } }

    var made: srtp_t?
    var status = srtp_err_status_ok
    unsafe keyAndSalt.withUnsafeMutableBufferPointer { bytes in
      unsafe policy.key = bytes.baseAddress
      switch sources {
      case .anyInbound:
        unsafe policy.ssrc.type = ssrc_any_inbound
        status = unsafe srtp_create(&made, &policy)
      case .only(let list):
        status = unsafe srtp_create(&made, nil)
        unsafe policy.ssrc.type = ssrc_specific
        for ssrc in list where status == srtp_err_status_ok {
          unsafe policy.ssrc.value = ssrc
          status = unsafe srtp_add_stream(made, &policy)
        }
      }
    }
    guard status == srtp_err_status_ok, let made = unsafe made else {
      if let made = unsafe made { _ = unsafe srtp_dealloc(made) }
      throw .unexpected(status: status.rawValue)
    }
    unsafe session = made
  }

  deinit { _ = unsafe srtp_dealloc(session) }

  @_noLocks
  func protect(_ packet: inout MutableSpan<UInt8>, byteCount: Int, ssrc: UInt32) throws(SRTPError) -> Int {
    let result = unsafe antiphon_srtp_protect(session, packet.mutablePointer, Int32(truncatingIfNeeded: byteCount))
    return try Self.byteCount(of: result, given: byteCount, ssrc: ssrc)
  }

  @_noLocks
  func unprotect(_ packet: inout MutableSpan<UInt8>, byteCount: Int, ssrc: UInt32) throws(SRTPError) -> Int {
    let result = unsafe antiphon_srtp_unprotect(session, packet.mutablePointer, Int32(truncatingIfNeeded: byteCount))
    return try Self.byteCount(of: result, given: byteCount, ssrc: ssrc)
  }

  @_noLocks
  func protectControl(_ packet: inout MutableSpan<UInt8>, byteCount: Int, ssrc: UInt32) throws(SRTPError) -> Int {
    let result = unsafe antiphon_srtp_protect_rtcp(session, packet.mutablePointer, Int32(truncatingIfNeeded: byteCount))
    return try Self.byteCount(of: result, given: byteCount, ssrc: ssrc)
  }

  @_noLocks
  func unprotectControl(_ packet: inout MutableSpan<UInt8>, byteCount: Int, ssrc: UInt32) throws(SRTPError) -> Int {
    let result = unsafe antiphon_srtp_unprotect_rtcp(
      session, packet.mutablePointer, Int32(truncatingIfNeeded: byteCount))
    return try Self.byteCount(of: result, given: byteCount, ssrc: ssrc)
  }

  /// libsrtp's status for a packet, as ours: the only place that knows its codes.
  @_noLocks
  private static func byteCount(
    of result: AntiphonSRTPResult, given: Int, ssrc: UInt32
  ) throws(SRTPError) -> Int {
    switch result.status {
    case srtp_err_status_ok: return Int(result.byteCount)
    case srtp_err_status_auth_fail: throw .authenticationFailed
    case srtp_err_status_replay_fail: throw .replayed
    case srtp_err_status_replay_old: throw .tooOld
    case srtp_err_status_no_ctx: throw .unknownSource(ssrc)
    case srtp_err_status_key_expired: throw .keyExpired
    case srtp_err_status_bad_param, srtp_err_status_parse_err: throw .malformed(byteCount: given)
    default: throw .unexpected(status: result.status.rawValue)
    }
  }
}

extension SRTPProfile {
  /// Sets both halves of a libsrtp policy.
  fileprivate func fill(_ policy: inout srtp_policy_t) {
    switch self {
    case .aes128CounterModeSHA1x80:
      unsafe srtp_crypto_policy_set_rtp_default(&policy.rtp)
      unsafe srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
    case .aes128CounterModeSHA1x32:
      unsafe srtp_crypto_policy_set_aes_cm_128_hmac_sha1_32(&policy.rtp)
      unsafe srtp_crypto_policy_set_rtcp_default(&policy.rtcp)  // RTCP keeps 80 bits (RFC 4568 §6.2.2)
    case .aes256CounterModeSHA1x80:
      unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtp)
      unsafe srtp_crypto_policy_set_aes_cm_256_hmac_sha1_80(&policy.rtcp)
    case .aes128GCM:
      unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
      unsafe srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
    case .aes256GCM:
      unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtp)
      unsafe srtp_crypto_policy_set_aes_gcm_256_16_auth(&policy.rtcp)
    }
  }
}
