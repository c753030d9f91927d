import Foundation

/// The files that a command writes: none of them may be one of its inputs, and none stays behind half written.
final class OutputFiles {
  private let inputs: [String]
  private var opened: [String] = []

  init(inputs: [String]) { self.inputs = inputs }

  /// Opens `path` for writing by `make`, unless that would empty an input or another output.
  func open<Writer: ~Copyable>(_ path: String, _ make: (String) throws -> Writer) throws -> Writer {
    if let input = inputs.first(where: { FileIdentity.isSame($0, path) }) {
      throw UsageError("\(path) is the input \(input) itself; write to another file")
    }
    if let other = opened.first(where: { FileIdentity.isSame($0, path) || $0 == path }) {
      throw UsageError("\(path) is written already, as \(other); give two outputs two names")
    }
    let writer = try make(path)
    opened.append(path)
    return writer
  }

  /// Does the work; when it fails, the files it had opened are removed.
  func removingOnFailure<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      // Pipes and devices are not ours to remove, and nothing half done lies in them.
      for path in opened where FileIdentity.isRegular(path) { try? FileManager.default.removeItem(atPath: path) }
      throw error
    }
  }
}

/// Which file a path leads to, whatever its spelling and links.
enum FileIdentity {
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard first != "-", second != "-", let one = status(first), let other = status(second) else { return false }
    return isRegular(one) && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  static func isRegular(_ path: String) -> Bool { path != "-" && status(path).map(isRegular) ?? false }

  static func byteCount(_ path: String) -> Int? {
    guard path != "-", let found = status(path), isRegular(found) else { return nil }
    return Int(found.st_size)
  }

  private static func isRegular(_ found: stat) -> Bool { found.st_mode & S_IFMT == S_IFREG }

  private static func status(_ path: String) -> stat? {
    var found = stat()
    return unsafe stat(path, &found) == 0 ? found : nil
  }
}
