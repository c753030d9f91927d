import Foundation

/// Removes what is being written when a signal ends the program: Ctrl-C, `kill`, a closed terminal.
enum Interruption {
  @unsafe private struct Entry {
    let path: UnsafeMutablePointer<CChar>
    let isFolder: Bool
    let older: UnsafeMutablePointer<Entry>?
  }

  // The handler may run between any two instructions, so it finds plain memory: no array, no lock. Whoever owns the
  // outputs writes here, one thread at a time; an entry is complete before the one word that leads to it changes, and lives
  // as long as the program.
  private nonisolated(unsafe) static var newest: UnsafeMutablePointer<Entry>?
  private static let isWatching: Bool = {
    watch()
    return true
  }()

  /// The file at `path` is to go if a signal comes.
  static func remove(_ path: String) { add(path, isFolder: false) }

  /// The folder at `path` is to go if a signal comes, once it is empty.
  static func removeFolder(_ path: String) { add(path, isFolder: true) }

  /// The work is done: all stays.
  static func forget() { unsafe newest = nil }

  private static func add(_ path: String, isFolder: Bool) {
    guard isWatching, let copy = unsafe strdup(path) else { return }
    let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
    unsafe entry.initialize(to: Entry(path: copy, isFolder: isFolder, older: newest))
    unsafe newest = entry
  }

  private static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var before = sigaction()
      unsafe sigaction(number, nil, &before)
      // Whoever started us with the signal ignored (nohup) means it.
      guard unsafe before.__sigaction_handler.sa_handler == nil else { continue }
      signal(number) { number in
        // Only calls that a signal handler may make. What was made last goes first: files before their folder.
        var next = unsafe Interruption.newest
        while let entry = unsafe next {
          if unsafe entry.pointee.isFolder {
            unsafe rmdir(entry.pointee.path)
          } else {
            unsafe unlink(entry.pointee.path)
          }
          unsafe next = entry.pointee.older
        }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
