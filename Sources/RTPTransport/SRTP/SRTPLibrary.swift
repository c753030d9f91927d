internal import CSRTP
internal import CSRTPCiphers
import Synchronization

/// libsrtp's own state, which is one for the process: started once, with the ciphers that suit the audio path.
///
/// It is never shut down: sessions may live as long as the process.
enum SRTPLibrary {
  private static let startStatus = Mutex<UInt32?>(nil)

  /// Starts libsrtp unless that was done; later calls give the first one's result.
  static func start() throws(SRTPError) {
    let status = startStatus.withLock { known -> UInt32 in
      if let known { return known }
      var status = srtp_init().rawValue
      // What a second start gives: another part of the process has libsrtp running, and its sessions stay as they are.
      if status == srtp_err_status_bad_param.rawValue { status = 0 }
      if status == 0 { status = UInt32(truncatingIfNeeded: antiphon_srtp_use_openssl()) }
      known = status
      return status
    }
    if status != 0 { throw .unavailable(status: status) }
  }
}
