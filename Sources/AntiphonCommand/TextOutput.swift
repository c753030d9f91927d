import Foundation

/// A text file that is being written, line by line; "-" is standard output.
final class TextOutput {
  private let path: String
  private let file: FileHandle
  private var pending = Data()

  private static let pendingLimit = 64 << 10

  /// Creates the file, or empties it if there is one.
  init(path: String) throws {
    self.path = path
    let descriptor = path == "-" ? STDOUT_FILENO : unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else {
      let folderIsMissing = errno == ENOENT || errno == ENOTDIR
      throw CommandFailure(
        folderIsMissing
          ? "\(path): its folder is not there; make it first, or correct the path"
          : "\(path): cannot be written: \(unsafe String(cString: strerror(errno)))")
    }
    file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: path != "-")
  }

  func line(_ text: String) throws {
    pending.append(contentsOf: text.utf8)
    pending.append(0x0A)
    if pending.count >= Self.pendingLimit { try flush() }
  }

  /// Hands everything to the system; without it the last lines are lost.
  func flush() throws {
    do {
      try file.write(contentsOf: pending)
    } catch {
      throw CommandFailure("\(path): writing failed: \(error.localizedDescription)")
    }
    pending.removeAll(keepingCapacity: true)
  }
}
