internal import Foundation
internal import Testing

/// A program of another's making that runs beside a test and ends with it. Its input and output are pipes of lines.
///
/// Not by Foundation's `Process`: some programs close all descriptors that they inherit, and by one of those Foundation
/// knows of its child's end.
public final class SpawnedProgram: @unchecked Sendable {
  private var process: pid_t = 0
  private let input: Int32
  private let output: Int32
  private var unread: [UInt8] = []

  /// Starts the program at `path`.
  public init(_ path: String, _ arguments: [String]) throws {
    var (toChild, fromChild): ([Int32], [Int32]) = ([0, 0], [0, 0])
    let isOpen = unsafe pipe(&toChild) == 0 && pipe(&fromChild) == 0
    try #require(isOpen, "no pipe")
    for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (input, output) = (toChild[1], fromChild[0])
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    let settings = ["PATH=/usr/bin:/bin", "LANG=C", "PYTHONUNBUFFERED=1"]
    var words: [UnsafeMutablePointer<CChar>?] = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] = unsafe settings.map { unsafe strdup($0) } + [nil]
    let status = unsafe posix_spawn(&process, path, &actions, nil, &words, &variables)
    unsafe (words + variables).forEach { unsafe free($0) }
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(toChild[0])
    close(fromChild[1])
    try #require(status == 0, "\(path) does not start")
  }

  deinit {
    if process > 0 {
      kill(process, SIGKILL)
      _ = waitpid(process, nil, 0)
    }
    close(input)
    close(output)
  }

  /// Whether it runs still.
  public var isRunning: Bool { waitpid(process, nil, WNOHANG) == 0 }

  /// Ends it as a crash would.
  public func crash() { kill(process, SIGKILL) }

  /// Stops it without an end, and lets it go on: its sockets stay open and silent.
  public func suspend(_ isSuspended: Bool) { kill(process, isSuspended ? SIGSTOP : SIGCONT) }

  /// Writes a line to its input.
  public func write(_ line: String) {
    let bytes = Array(line.utf8) + [10]
    _ = unsafe Glibc.write(input, bytes, bytes.count)
  }

  /// The next line of its output; `nil` when none comes within `seconds`. Blocks.
  public func line(within seconds: Double = 10) -> String? {
    let end = Date().addingTimeInterval(seconds)
    while true {
      if let feed = unread.firstIndex(of: 10) {
        defer { unread.removeSubrange(...feed) }
        return String(decoding: unread[..<feed], as: UTF8.self)
      }
      var readable = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, end.timeIntervalSinceNow * 1_000))
      guard unsafe poll(&readable, 1, left) == 1 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe read(output, &bytes, bytes.count)
      if count <= 0 { return nil }
      unread += bytes[..<count]
    }
  }

  /// Runs a program to its end.
  public static func run(_ path: String, _ arguments: [String]) throws {
    let program = try SpawnedProgram(path, arguments)
    while program.line() != nil {}
    var status: Int32 = 0
    _ = unsafe waitpid(program.process, &status, 0)
    program.process = 0
    try #require(status == 0, "\(path) \(arguments.joined(separator: " ")) fails")
  }
}
