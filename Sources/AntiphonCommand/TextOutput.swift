import Foundation

/// A file that is being written, line by line or as a whole; "-" is standard output.
final class TextOutput {
  private let path: String
  private let descriptor: Int32
  private var pending = Data()

  private static let pendingLimit = 64 << 10

  /// Creates the file, or empties it if there is one.
  init(path: String) throws {
    self.path = path
    descriptor = path == "-" ? STDOUT_FILENO : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let folderIsMissing = errno == ENOENT || errno == ENOTDIR
      throw CommandFailure(
        folderIsMissing
          ? "\(path): its folder is not there; make it first, or correct the path"
          : "\(path): cannot be written: \(systemMessage(errno))")
    }
  }

  deinit { if path != "-" { close(descriptor) } }

  func line(_ text: String) throws {
    pending.append(contentsOf: text.utf8)
    pending.append(0x0A)
    if pending.count >= Self.pendingLimit { try flush() }
  }

  func append(_ data: Data) throws { pending.append(data) }

  /// Hands everything to the system; without it the last lines are lost.
  func flush() throws {
    let code = unsafe pending.withUnsafeBytes { unsafe Terminal.put($0, to: descriptor) }
    pending.removeAll(keepingCapacity: true)
    guard code == 0 else { throw CommandFailure("\(path): writing failed: \(systemMessage(code))") }
  }
}
