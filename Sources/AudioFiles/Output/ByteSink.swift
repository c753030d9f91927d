internal import Foundation

/// A file or pipe that is being written: bytes in order, and corrections of earlier ones where the target allows.
/// - Threads: one at a time.
final class ByteSink {
  let path: String
  /// Whether earlier bytes can be changed: true of files, false of pipes.
  let isSeekable: Bool
  /// Bytes written in order so far.
  private(set) var length: Int64 = 0
  private var descriptor: Int32
  private let ownsDescriptor: Bool
  private var pending: [UInt8] = []
  private var failed: AudioFileError?

  /// Enough that one system call carries a second of speech.
  private static let pendingLimit = 64 << 10

  /// Creates `path` or empties it; "-" is standard output.
  init(path: String) throws(AudioFileError) {
    self.path = path
    ownsDescriptor = path != "-"
    descriptor = ownsDescriptor ? unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) : 1
    guard descriptor >= 0 else { throw FileBytes.createError(path: path, code: errno) }
    isSeekable = lseek(descriptor, 0, SEEK_CUR) == 0
    pending.reserveCapacity(Self.pendingLimit)
  }

  deinit {
    try? flush()
    if ownsDescriptor, descriptor >= 0 { close(descriptor) }
  }

  /// Writes behind all that was written before.
  func append(_ bytes: [UInt8]) throws(AudioFileError) {
    pending += bytes
    length += Int64(bytes.count)
    if pending.count >= Self.pendingLimit { try flush() }
  }

  /// Replaces bytes that were written earlier; only where `isSeekable`.
  func overwrite(at offset: Int64, with bytes: [UInt8]) throws(AudioFileError) {
    try flush()
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, Int(offset)) }
    guard written == bytes.count else { throw failure(at: offset) }
  }

  /// Hands what is pending to the system; every later call fails like the first that did.
  func flush() throws(AudioFileError) {
    if let failed { throw failed }
    var done = 0
    while done < pending.count {
      let written = unsafe pending.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress! + done, $0.count - done)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else {
        let error = failure(at: length - Int64(pending.count - done))
        failed = error
        pending = []
        throw error
      }
      done += written
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Ends the file and tells errors that some file systems keep until then.
  func finish() throws(AudioFileError) {
    try flush()
    guard ownsDescriptor, descriptor >= 0 else { return }
    let result = close(descriptor)
    descriptor = -1
    if result != 0 { throw failure(at: length) }
  }

  private func failure(at offset: Int64) -> AudioFileError {
    let code = errno
    let advice = code == ENOSPC || code == EDQUOT ? "; free some space or write elsewhere" : ""
    return .writeFailed(path: path, byte: offset, reason: systemMessage(code) + advice)
  }
}
