import Foundation

/// A file in memory, or a pipe, with a path under which a reader can open it.
final class MemoryFile {
  /// Valid as long as this object lives.
  var path: String { "/proc/self/fd/\(descriptor)" }
  private let descriptor: Int32

  /// A file that holds `bytes`.
  init(_ bytes: [UInt8]) {
    var name = Array("/dev/shm/antiphon-fuzz-XXXXXX".utf8CString)
    descriptor = unsafe mkstemp(&name)
    check(descriptor >= 0, "no file in memory: error \(errno)")
    _ = unsafe unlink(name)
    check(Self.write(bytes, to: descriptor), "a file in memory took less than it was given: error \(errno)")
  }

  /// A pipe that holds `bytes` and ends behind them; `nil` when they are more than a pipe takes at once.
  init?(pipe bytes: [UInt8]) {
    guard bytes.count <= 65_536 else { return nil }
    var ends: [Int32] = [-1, -1]
    check(unsafe Foundation.pipe(&ends) == 0, "no pipe: error \(errno)")
    descriptor = ends[0]
    let isWritten = Self.write(bytes, to: ends[1])
    close(ends[1])
    check(isWritten, "a pipe took less than it was given: error \(errno)")
  }

  deinit { close(descriptor) }

  /// What the file holds now.
  var contents: [UInt8] {
    var status = stat()
    check(unsafe fstat(descriptor, &status) == 0, "no size of a file in memory")
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    check(count == bytes.count, "a file in memory gave \(count) of \(bytes.count) bytes")
    return bytes
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    unsafe bytes.withUnsafeBytes { unsafe Foundation.write(descriptor, $0.baseAddress, $0.count) } == bytes.count
  }
}
