internal import CSndfile
internal import Foundation

/// One open handle of libsndfile that writes FLAC.
/// - Threads: one at a time.
@safe  // `handle` is opened in init, used only here, closed once: in finish or deinit
final class FLACEncoder {
  private let path: String
  private var handle: OpaquePointer?
  private let descriptor: Int32
  private var framesWritten: Int64 = 0

  /// - Parameter bits: 16 or 24.
  init(path: String, sampleRate: Int, channelCount: Int, bits: Int) throws(AudioFileError) {
    let subtype = bits == 16 ? SF_FORMAT_PCM_16 : SF_FORMAT_PCM_24
    var info = SF_INFO(
      frames: 0, samplerate: Int32(sampleRate), channels: Int32(channelCount),
      format: Int32(SF_FORMAT_FLAC | subtype), sections: 0, seekable: 0)
    // Opened by us first, for an error number that says why.
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileBytes.createError(path: path, code: errno) }
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_WRITE), &info, 0) else {
      close(descriptor)
      throw .unsupported(
        path: path,
        what: "FLAC cannot hold \(channelCount) channels at \(sampleRate) Hz: \(unsafe Self.libraryText(nil))")
    }
    self.path = path
    self.descriptor = descriptor
    unsafe self.handle = handle
  }

  deinit {
    guard let handle = unsafe handle else { return }
    unsafe sf_close(handle)
    close(descriptor)
  }

  /// Writes interleaved samples, left-justified in 32 bits.
  func write(_ samples: [Int32], channelCount: Int) throws(AudioFileError) {
    guard let handle = unsafe handle else { return }
    let frames = Int64(samples.count / channelCount)
    let written = unsafe samples.withUnsafeBufferPointer { unsafe sf_writef_int(handle, $0.baseAddress, frames) }
    framesWritten += written
    guard written == frames else {
      throw .writeFailed(
        path: path, byte: 0, reason: "after \(framesWritten) frames: \(unsafe Self.libraryText(handle))")
    }
  }

  /// Writes what the encoder still holds and the header with the true length.
  func finish() throws(AudioFileError) {
    guard let handle = unsafe handle else { return }
    unsafe sf_write_sync(handle)
    let synchronized = unsafe sf_error(handle)
    unsafe self.handle = nil
    let encoded = unsafe sf_close(handle)
    guard close(descriptor) == 0 else { throw .writeFailed(path: path, byte: 0, reason: systemMessage(errno)) }
    if synchronized != 0 || encoded != 0 {
      let code = synchronized != 0 ? synchronized : encoded
      throw .writeFailed(path: path, byte: 0, reason: unsafe String(cString: sf_error_number(code)))
    }
  }

  private static func libraryText(_ handle: OpaquePointer?) -> String {
    unsafe String(cString: sf_strerror(handle))
  }
}
