import Antiphon
import Foundation

/// The files and folders that a command makes: none of them may be one of its inputs, and none is there before it is
/// complete. A file is written beside its place and moved there when all the work is done; until then, and when the work
/// fails or a signal ends it, what stood there stays.
final class OutputFiles {
  private struct Output {
    /// As it was given.
    let name: String
    /// Where it is to stand, free of links; `nil` for pipes and devices, which are written as they are.
    let place: String?
    /// Where it is written until then.
    let draft: String
  }

  private let inputs: [String]
  private var opened: [Output] = []
  private var madeFolders: [String] = []

  init(inputs: [String]) { self.inputs = inputs }

  /// Opens `path` for writing by `make`, unless that would empty an input or another output.
  func open<Writer: ~Copyable>(_ path: String, _ make: (String) throws -> Writer) throws -> Writer {
    if let input = inputs.first(where: { FileIdentity.isSame($0, path) }) {
      throw UsageError("\(path) is the input \(input) itself; write to another file")
    }
    let output = try placed(path)
    if let other = opened.first(where: { $0.name == path || $0.place != nil && $0.place == output.place }) {
      throw UsageError("\(path) is written already, as \(other.name); give two outputs two names")
    }
    // Before it is made: what the disk has no room for goes as well.
    opened.append(output)
    if output.place != nil { Interruption.remove(output.draft) }
    return try make(output.draft)
  }

  private func placed(_ path: String) throws -> Output {
    if path == "-" || FileIdentity.isPipe(path) { return Output(name: path, place: nil, draft: path) }
    if FileIdentity.isFolder(path) { throw CommandFailure("\(path): is a folder; give the name of a file") }
    if FileManager.default.fileExists(atPath: path), unsafe access(path, W_OK) != 0 {
      throw CommandFailure("\(path): cannot be written: \(systemMessage(errno))")
    }
    let place = FileIdentity.resolved(path)
    let (folder, name) = ((place as NSString).deletingLastPathComponent, (place as NSString).lastPathComponent)
    // The ending says what kind of file it is, so it stays the ending.
    let draft = "\(folder)/.antiphon-\(UInt32.random(in: 0...UInt32.max))-\(name.suffix(200))"
    return Output(name: path, place: place, draft: draft)
  }

  /// Opens `path` as a WAV or FLAC file; a name that promises another format, or none, is refused.
  func audio(
    _ path: String, format: AudioFormat, encoding: AudioFileWriter.Encoding = .pcm16
  ) throws -> AudioFileWriter {
    let ending = (path as NSString).pathExtension.lowercased()
    guard path == "-" || FileIdentity.isPipe(path) || FileIdentity.isFolder(path) || ["wav", "flac"].contains(ending)
    else {
      throw UsageError(
        "\(path): sound is written as WAV or FLAC here\(ending.isEmpty ? "" : ", not as \(ending)"); "
          + "end the name in .wav or .flac"
          + (["opus", "ogg", "oga"].contains(ending) ? ", or use antiphon encode" : ""))
    }
    if encoding == .float32, ending == "flac" {
      throw UsageError("\(path): FLAC holds no floats; give --encoding pcm24, or a name that ends in .wav")
    }
    return try open(path) { try AudioFileWriter(path: $0, format: format, encoding: encoding) }
  }

  /// Writes a whole file.
  func write(_ data: Data, to path: String) throws {
    try open(path) { path in
      let file = try TextOutput(path: path)
      try file.append(data)
      try file.flush()
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
    for folder in missing.reversed() { Interruption.removeFolder(folder) }
    madeFolders = missing + madeFolders
    try createDirectory(url)
  }

  /// Does the work and puts the files into their places; when it fails, what was written and the folders that were made are
  /// removed.
  func removingOnFailure<Result>(_ work: () throws -> Result) throws -> Result {
    defer { Interruption.forget() }
    do {
      let result = try work()
      for output in opened { try put(output) }
      return result
    } catch {
      for output in opened where output.place != nil { unsafe unlink(output.draft) }
      // Only what is empty goes: others may have put something there meanwhile.
      for folder in madeFolders { unsafe rmdir(folder) }
      throw renamed(error)
    }
  }

  /// Puts one file into its place before the others are done.
  func complete(_ path: String) throws {
    guard let index = opened.firstIndex(where: { $0.name == path }) else { return }
    try put(opened.remove(at: index))
  }

  /// Moves a finished file to its place, with the permissions of the one that it replaces.
  private func put(_ output: Output) throws {
    guard let place = output.place else { return }
    if let mode = FileIdentity.permissions(place) { unsafe chmod(output.draft, mode) }
    guard unsafe rename(output.draft, place) == 0 else {
      throw CommandFailure("\(output.name): cannot be written: \(systemMessage(errno))")
    }
  }

  /// The same error by the names that the user gave.
  private func renamed(_ error: any Error) -> any Error {
    let text = "\(error)"
    guard let output = opened.first(where: { $0.place != nil && text.contains($0.draft) }) else { return error }
    return CommandFailure(text.replacingOccurrences(of: output.draft, with: output.name))
  }
}

/// Makes a folder with those above it; an error that says what is in the way.
func createDirectory(_ url: URL) throws {
  var folders = [url]
  while let first = folders.last, first.path != "/", !FileIdentity.isFolder(first.path) {
    folders.append(first.deletingLastPathComponent())
  }
  for folder in folders.reversed() where !FileIdentity.isFolder(folder.path) {
    guard unsafe mkdir(folder.path, 0o777) == 0 || errno == EEXIST && FileIdentity.isFolder(folder.path) else {
      throw CommandFailure("cannot make the folder \(url.path): \(folder.path): \(systemMessage(errno))")
    }
  }
}

/// The system's own words for an error number.
func systemMessage(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

/// Which file a path leads to, whatever its spelling and links.
enum FileIdentity {
  static func isSame(_ first: String, _ second: String) -> Bool {
    guard first != "-", second != "-", let one = status(first), let other = status(second) else { return false }
    return isRegular(one) && one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  static func isFolder(_ path: String) -> Bool { status(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false }

  /// Neither a file nor a folder: a pipe, whose bytes come only once.
  static func isPipe(_ path: String) -> Bool {
    status(path).map { $0.st_mode & S_IFMT != S_IFREG && $0.st_mode & S_IFMT != S_IFDIR } ?? false
  }

  static func permissions(_ path: String) -> mode_t? {
    guard let found = status(path), isRegular(found) else { return nil }
    return found.st_mode & 0o7777
  }

  /// The path from the root, free of links. The last part need not be there; where a folder is missing, as it was given.
  static func resolved(_ path: String) -> String {
    if let whole = real(path) { return whole }
    let folder = (path as NSString).deletingLastPathComponent
    return real(folder.isEmpty ? "." : folder).map {
      ($0 as NSString).appendingPathComponent((path as NSString).lastPathComponent)
    }
      ?? path
  }

  private static func real(_ path: String) -> String? {
    guard let found = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  private static func isRegular(_ found: stat) -> Bool { found.st_mode & S_IFMT == S_IFREG }

  private static func status(_ path: String) -> stat? {
    var found = stat()
    return unsafe stat(path, &found) == 0 ? found : nil
  }
}
