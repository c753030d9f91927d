import Foundation

/// A named pipe in a temporary folder, which a thread fills with `data`: what a reader meets on standard input.
final class NamedPipe {
  let path: String
  private let folder: TemporaryFolder

  init(feeding data: Data) throws {
    folder = try TemporaryFolder()
    path = folder.path("pipe")
    guard unsafe mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
    let path = path
    Thread.detachNewThread {
      // A reader that stops early shall not end the test run.
      signal(SIGPIPE, SIG_IGN)
      guard let handle = FileHandle(forWritingAtPath: path) else { return }
      for start in stride(from: 0, to: data.count, by: 777) {
        do { try handle.write(contentsOf: data[start..<min(start + 777, data.count)]) } catch { return }
      }
      try? handle.close()
    }
  }
}

/// A folder that goes away with this value.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Writes `bytes` to a file of this folder and returns its path.
  func file(_ name: String, _ bytes: [UInt8]) throws -> String {
    try Data(bytes).write(to: url.appendingPathComponent(name))
    return path(name)
  }
}
