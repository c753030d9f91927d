import Antiphon
import Foundation

/// The files and folders that a command makes: none of them may be one of its inputs, and none stays behind half
/// written, whether the work fails or a signal ends it.
final class OutputFiles {
  private let inputs: [String]
  private var opened: [String] = []
  private var madeFolders: [String] = []

  init(inputs: [String]) { self.inputs = inputs }

  /// Opens `path` for writing by `make`, unless that would empty an input or another output.
  func open<Writer: ~Copyable>(_ path: String, _ make: (String) throws -> Writer) throws -> Writer {
    if let input = inputs.first(where: { FileIdentity.isSame($0, path) }) {
      throw UsageError("\(path) is the input \(input) itself; write to another file")
    }
    if let other = opened.first(where: { FileIdentity.isSame($0, path) || $0 == path }) {
      throw UsageError("\(path) is written already, as \(other); give two outputs two names")
    }
    let isNew = path != "-" && !FileManager.default.fileExists(atPath: path)
    if isNew || FileIdentity.isRegular(path) { Interruption.remove(path) }
    do {
      let writer = try make(path)
      opened.append(path)
      return writer
    } catch {
      // Made, and then the disk was full for its header.
      if isNew { unsafe unlink(path) }
      throw error
    }
  }

  /// Opens `path` as a WAV or FLAC file; a name that promises another format is refused.
  func audio(
    _ path: String, format: AudioFormat, encoding: AudioFileWriter.Encoding = .pcm16
  ) throws -> AudioFileWriter {
    if let other = ["mp3", "ogg", "oga", "opus", "m4a", "aac", "aif", "aiff", "au", "caf", "w64"].first(where: {
      path.lowercased().hasSuffix("." + $0)
    }) {
      throw UsageError(
        "\(path): sound is written as WAV or FLAC here, not as \(other); end the name in .wav or .flac"
          + (["opus", "ogg", "oga"].contains(other) ? ", or use antiphon encode" : ""))
    }
    if encoding == .float32, path.lowercased().hasSuffix(".flac") {
      throw UsageError("\(path): FLAC holds no floats; give --encoding pcm24, or a name that ends in .wav")
    }
    return try open(path) { try AudioFileWriter(path: $0, format: format, encoding: encoding) }
  }

  /// Writes a whole file.
  func write(_ data: Data, to path: String) throws {
    try open(path) { path in
      guard FileManager.default.createFile(atPath: path, contents: nil) else {
        throw CommandFailure("\(path): cannot be written: \(unsafe String(cString: strerror(errno)))")
      }
    }
    do { try data.write(to: URL(fileURLWithPath: path)) } catch {
      throw CommandFailure("\(path): writing failed: \(error.localizedDescription)")
    }
  }

  /// Makes a folder with those above it.
  func makeFolder(_ url: URL) throws {
    var missing: [String] = []
    var folder = url
    while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
      missing.append(folder.path)
      folder.deleteLastPathComponent()
    }
    try createDirectory(url)
    madeFolders = missing + madeFolders
  }

  /// Does the work; when it fails, the files it had opened and the folders it had made are removed.
  func removingOnFailure<Result>(_ work: () throws -> Result) throws -> Result {
    defer { Interruption.forget() }
    do {
      return try work()
    } catch {
      // Pipes and devices are not ours to remove, and nothing half done lies in them.
      for path in opened where FileIdentity.isRegular(path) { try? FileManager.default.removeItem(atPath: path) }
      // Only what is empty goes: others may have put something there meanwhile.
      for folder in madeFolders { unsafe rmdir(folder) }
      throw error
    }
  }
}

/// Makes a folder with those above it; an error that says what is in the way.
func createDirectory(_ url: URL) throws {
  do {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  } catch {
    throw CommandFailure("cannot make the folder \(url.path): \(error.localizedDescription)")
  }
}

/// Which file a path leads to, whatever its spelling and links.
enum FileIdentity {
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard first != "-", second != "-", let one = status(first), let other = status(second) else { return false }
    return isRegular(one) && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  static func isRegular(_ path: String) -> Bool { path != "-" && status(path).map(isRegular) ?? false }

  /// Neither a file nor a folder: a pipe, whose bytes come only once.
  static func isPipe(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT != S_IFREG && $0.st_mode & S_IFMT != S_IFDIR } ?? false
  }

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
