public import RealtimeCore

/// Why a file could not be read or written, and what to do about it. `path` is as the caller gave it; "-" is standard
/// input or output.
public enum AudioFileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no such file.
  case notFound(path: String)
  /// The file cannot be made, for its folder is not there.
  case folderMissing(path: String)
  /// The path names a folder.
  case isDirectory(path: String)
  /// The permissions of the file or its folder forbid it.
  case notPermitted(path: String)
  /// The system refused for another reason, told in its own words.
  case cannotOpen(path: String, reason: String)
  /// The file has no bytes at all.
  case empty(path: String)
  /// No format that this library reads begins like this.
  case unrecognized(path: String, wanted: String)
  /// The format is known, the contents break its rules.
  case damaged(path: String, reason: String)
  /// The format is known and sound; this encoding in it is not supported.
  case unsupported(path: String, what: String)
  /// The rate or the number of channels is outside what an `AudioFormat` can be.
  case unsupportedFormat(path: String, AudioFormatError)
  /// The disk, or the far end of the pipe, failed in the middle.
  case readFailed(path: String, byte: Int64, reason: String)
  /// Nothing more could be written: the disk is full, or the far end of the pipe is gone.
  case writeFailed(path: String, byte: Int64, reason: String)
  /// A text file has a line that does not say what it should.
  case badLine(path: String, line: Int, reason: String)
  /// A file of records ends inside one; what came before was whole.
  case cutRecord(path: String, byte: Int64, recordsBefore: Int)
  /// The caller asked for what the format cannot hold.
  case invalidSetting(String)

  /// One sentence for people: what is wrong and, where something can be done, what.
  public var description: String {
    switch self {
    case .notFound(let path): "\(path): no such file; check the path"
    case .folderMissing(let path): "\(path): its folder is not there; make it first, or correct the path"
    case .isDirectory(let path): "\(path): is a folder; give a file inside it"
    case .notPermitted(let path): "\(path): not permitted; check the permissions of the file and its folder"
    case .cannotOpen(let path, let reason): "\(path): cannot be opened: \(reason)"
    case .empty(let path): "\(path): is empty (0 bytes); whatever made it wrote nothing"
    case .unrecognized(let path, let wanted): "\(path): is not \(wanted)"
    case .damaged(let path, let reason): "\(path): is damaged: \(reason)"
    case .unsupported(let path, let what): "\(path): \(what)"
    case .unsupportedFormat(let path, let error): "\(path): \(error)"
    case .readFailed(let path, let byte, let reason): "\(path): reading failed at byte \(byte): \(reason)"
    case .writeFailed(let path, let byte, let reason):
      "\(path): writing failed at byte \(byte): \(reason); the file is incomplete"
    case .badLine(let path, let line, let reason): "\(path):\(line): \(reason)"
    case .cutRecord(let path, let byte, let records):
      "\(path): ends at byte \(byte) inside a record; the \(records) records before it are whole"
    case .invalidSetting(let what): what
    }
  }
}
