import Foundation

/// The folder that a report goes to: made before the work begins, so that a wrong path is told at once, and gone again
/// when the work fails.
struct ReportFolder {
  let url: URL
  /// Folders that were not there before, the deepest first.
  private let made: [URL]

  /// Makes the folder and those above it, where they are missing.
  init(_ url: URL) throws {
    self.url = url
    var missing: [URL] = []
    var folder = url.standardizedFileURL
    while !FileManager.default.fileExists(atPath: folder.path), folder.path != "/" {
      missing.append(folder)
      folder.deleteLastPathComponent()
    }
    made = missing
    try createDirectory(url)
  }

  /// Does the work; when it fails, removes the folders that were made for it, unless something lies in them.
  func removingOnFailure<Result>(_ work: () throws -> Result) throws -> Result {
    do {
      return try work()
    } catch {
      for folder in made { guard unsafe rmdir(folder.path) == 0 else { break } }
      throw error
    }
  }
}

extension ReportFolder? {
  /// Does the work, with a report or without; see `ReportFolder.removingOnFailure`.
  func removingOnFailure<Result>(_ work: () throws -> Result) throws -> Result {
    switch self {
    case .some(let folder): try folder.removingOnFailure(work)
    case .none: try work()
    }
  }
}
