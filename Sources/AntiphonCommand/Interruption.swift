import Foundation

/// Removes the files that are being written when a signal ends the program: Ctrl-C, `kill`, a closed terminal.
enum Interruption {
  private static let capacity = 16
  // The handler may run between any two instructions, so it finds plain memory: no array, no lock. Only the main thread
  // writes here, each slot before the count that covers it.
  private nonisolated(unsafe) static let paths =
    UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: capacity)
  private nonisolated(unsafe) static var count: sig_atomic_t = 0

  /// `path` is to go if a signal comes.
  static func remove(_ path: String) {
    if unsafe count == 0 { watch() }
    guard unsafe Int(count) < capacity, let copy = unsafe strdup(path) else { return }
    unsafe paths[Int(count)] = copy
    unsafe count += 1
  }

  /// The work is done: all stays.
  static func forget() { unsafe count = 0 }

  private static func watch() {
    unsafe paths.initialize(repeating: nil, count: capacity)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var before = sigaction()
      unsafe sigaction(number, nil, &before)
      // Whoever started us with the signal ignored (nohup) means it.
      guard unsafe before.__sigaction_handler.sa_handler == nil else { continue }
      signal(number) { number in
        // Only calls that a signal handler may make.
        for index in unsafe 0..<Int(Interruption.count) {
          if let path = unsafe Interruption.paths[index] { unsafe unlink(path) }
        }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
