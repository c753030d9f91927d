internal import Foundation

/// The bytes of a file, or of a pipe that can be read only once, at any offset a decoder asks for.
///
/// A file is read with `pread`. Of a pipe the first bytes are remembered while `isRemembering`, so that the format can
/// be looked at, and decoded again from the start; after that only the next bytes can be had. `patch` lays corrected
/// header fields over what is stored.
/// - Threads: one at a time.
final class FileBytes {
  let path: String
  /// The number of bytes of a file; `nil` for a pipe, whose end shows only when it is reached.
  private(set) var length: Int64?
  /// The error number of the first read that failed, and where.
  private(set) var failure: (byte: Int64, code: Int32)?
  /// Where a decoder that reads in sequence is.
  var position: Int64 = 0
  /// How long the pipe shall appear to a decoder that asks.
  var apparentLength: Int64 = .max / 2

  /// How many of the last bytes of a pipe are kept in `tail`, at least; 0: none.
  var keptTailByteCount = 0
  /// The last bytes that came through a pipe.
  private(set) var tail: [UInt8] = []

  private var descriptor: Int32
  private var ownsDescriptor: Bool
  private var head: [UInt8] = []
  private var streamPosition: Int64 = 0
  private var isRemembering = true
  private var patches: [(offset: Int64, bytes: [UInt8])] = []

  /// The most that is remembered of a pipe: the header of any sane file is shorter.
  static let memoryLimit = 16 << 20

  /// Opens `path`; "-" is standard input.
  init(path: String) throws(AudioFileError) {
    self.path = path
    ownsDescriptor = path != "-"
    descriptor = ownsDescriptor ? unsafe open(path, O_RDONLY | O_CLOEXEC) : 0
    guard descriptor >= 0 else { throw Self.openError(path: path, code: errno) }
    var status = stat()
    let answer = unsafe fstat(descriptor, &status)
    let kind = status.st_mode & S_IFMT
    // All is initialized by now, so an error below runs `deinit`, which closes the file.
    if answer == 0, kind == S_IFDIR { throw .isDirectory(path: path) }
    // A redirected standard input may stand in the middle of its file; then it is read on from there, as a pipe.
    if answer == 0, kind == S_IFREG, lseek(descriptor, 0, SEEK_CUR) == 0 {
      length = Int64(status.st_size)
      if length == 0 { throw .empty(path: path) }
    } else {
      length = nil
    }
  }

  deinit {
    if ownsDescriptor, descriptor >= 0 { close(descriptor) }
  }

  static func openError(path: String, code: Int32) -> AudioFileError {
    switch code {
    case ENOENT, ENOTDIR: .notFound(path: path)
    case EISDIR: .isDirectory(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    default: .cannotOpen(path: path, reason: systemMessage(code))
    }
  }

  /// Why a file could not be made.
  static func createError(path: String, code: Int32) -> AudioFileError {
    guard code == ENOENT || code == ENOTDIR else { return openError(path: path, code: code) }
    return .folderMissing(path: path)
  }

  /// Fills `target` from `offset` on as far as there are bytes; returns how many there were.
  func read(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
    let count = length == nil ? unsafe readStream(at: offset, into: target) : unsafe readFile(at: offset, into: target)
    for patch in patches {
      for (index, byte) in patch.bytes.enumerated() {
        let place = patch.offset + Int64(index) - offset
        if place >= 0, place < Int64(count) { unsafe target[Int(place)] = byte }
      }
    }
    return count
  }

  /// The bytes from `offset` on, `count` of them or fewer at the end. Allocates no more than what is there.
  func bytes(at offset: Int64, count: Int) -> [UInt8] {
    let wanted = length.map { Int(max(0, min(Int64(count), $0 - offset))) } ?? min(count, Self.memoryLimit)
    return unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, filled in
      unsafe filled = read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// From now on `bytes` are read at `offset` in place of what is stored there.
  func patch(at offset: Int64, with bytes: [UInt8]) { patches.append((offset, bytes)) }

  /// Ends the memory of a pipe: what was read so far can be read again, what follows once.
  func stopRemembering() { isRemembering = false }

  /// Copies a pipe to a file without a name, for formats that must be read at several places at once.
  func spool() throws(AudioFileError) {
    guard length == nil else { return }
    var name = Array((FileManager.default.temporaryDirectory.path + "/antiphon-XXXXXX").utf8CString)
    let copy = unsafe name.withUnsafeMutableBufferPointer { unsafe mkstemp($0.baseAddress!) }
    guard copy >= 0 else {
      throw .cannotOpen(path: path, reason: "no temporary copy: \(systemMessage(errno)); set TMPDIR or give a file")
    }
    unsafe name.withUnsafeBufferPointer { buffer in _ = unsafe unlink(buffer.baseAddress!) }
    var offset: Int64 = 0
    isRemembering = false
    while true {
      let block = bytes(at: offset, count: 1 << 16)
      if block.isEmpty { break }
      let written = unsafe block.withUnsafeBytes { unsafe pwrite(copy, $0.baseAddress, $0.count, Int(offset)) }
      guard written == block.count else {
        close(copy)
        throw .cannotOpen(path: path, reason: "no room for a temporary copy: \(systemMessage(errno)); give a file")
      }
      offset += Int64(written)
    }
    head = []
    if ownsDescriptor { close(descriptor) }
    (descriptor, ownsDescriptor) = (copy, true)
    length = offset
    if let failure { throw .readFailed(path: path, byte: failure.byte, reason: systemMessage(failure.code)) }
  }

  private func readFile(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
    guard offset >= 0 else { return 0 }
    var done = 0
    while done < target.count {
      let got = unsafe pread(descriptor, target.baseAddress! + done, target.count - done, Int(offset) + done)
      if got < 0, errno == EINTR { continue }
      if got < 0, failure == nil { failure = (offset + Int64(done), errno) }
      if got <= 0 { break }
      done += got
    }
    return done
  }

  private func readStream(at offset: Int64, into target: UnsafeMutableRawBufferPointer) -> Int {
    var done = 0
    // Ahead of the stream is reachable only while all that is passed over can be remembered.
    while isRemembering, streamPosition < offset, head.count < Self.memoryLimit {
      if !extendHead(by: Int(min(4_096, offset - streamPosition))) { return 0 }
    }
    while done < target.count {
      let place = offset + Int64(done)
      if place < Int64(head.count) {
        unsafe target[done] = head[Int(place)]
        done += 1
      } else if place != streamPosition {
        break
      } else if isRemembering, head.count < Self.memoryLimit {
        if !extendHead(by: target.count - done) { break }
      } else {
        let got = unsafe readDescriptor(into: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
        if got <= 0 { break }
        done += got
        streamPosition += Int64(got)
      }
    }
    return done
  }

  private func extendHead(by count: Int) -> Bool {
    let block = unsafe [UInt8](unsafeUninitializedCapacity: min(count, 65_536)) { buffer, filled in
      unsafe filled = max(0, readDescriptor(into: UnsafeMutableRawBufferPointer(buffer)))
    }
    head += block
    streamPosition += Int64(block.count)
    return !block.isEmpty
  }

  private func keepTail(_ bytes: Slice<UnsafeMutableRawBufferPointer>) {
    unsafe tail.append(contentsOf: bytes)
    if tail.count > 4 * keptTailByteCount { tail.removeFirst(tail.count - keptTailByteCount) }
  }

  private func readDescriptor(into target: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let got = unsafe Foundation.read(descriptor, target.baseAddress, target.count)
      if got < 0, errno == EINTR { continue }
      if got < 0, failure == nil { failure = (streamPosition, errno) }
      if got > 0, keptTailByteCount > 0 { unsafe keepTail(target[..<got]) }
      return got
    }
  }
}

/// The system's own words for an error number.
func systemMessage(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }
