import Foundation
import Testing

/// A program that we did not write, as a peer; it ends with the test. Not by Foundation's Process, which signals its end by
/// a descriptor that children may close.
final class PeerProcess: @unchecked Sendable {
  /// The python of a virtual environment with `websockets`; `nil` where the suites with peers are not asked for.
  static let python = ProcessInfo.processInfo.environment["ANTIPHON_PEERS"]
  static let scripts = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Peers").path

  /// The program does not say what was waited for.
  struct Silence: Error { let what: String }

  private var process: pid_t = 0
  private var input: Int32 = -1
  private var output: Int32 = -1
  private var unread: [UInt8] = []

  /// Starts a program, by path or by its name on the PATH.
  init(_ program: String, _ arguments: [String], in folder: URL? = nil) throws {
    let (toChild, fromChild) = (Self.makePipe(), Self.makePipe())
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", Int32(O_WRONLY), 0)
    // A test thread may block signals; the child must not inherit that.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let command = (folder.map { ["env", "-C", $0.path] } ?? []) + [program] + arguments
    var words = unsafe command.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    let status = unsafe posix_spawnp(&process, command[0], &actions, &attributes, &words, environ)
    close(toChild[0])
    close(fromChild[1])
    (input, output) = (toChild[1], fromChild[0])
    try #require(status == 0, "\(program) does not start; Scripts/setup test installs it")
  }

  deinit {
    close(input)
    close(output)
    if process > 0 {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
  }

  private static func makePipe() -> [Int32] {
    var ends: [Int32] = [-1, -1]
    unsafe pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  /// What comes next on its output, until the time is over.
  private func more(until end: Date, _ otherwise: String) throws -> Int {
    var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    let left = Int32(end.timeIntervalSinceNow * 1_000)
    let isReady = unsafe left > 0 && poll(&ready, 1, left) > 0
    guard isReady else { throw Silence(what: otherwise) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(output, &buffer, buffer.count)
    if count > 0 { unread += buffer[0..<count] }
    return count
  }

  /// The next line of its output, within 10 s.
  func line() throws -> String {
    let end = Date().addingTimeInterval(10)
    while true {
      if let index = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeFirst(index + 1) }
        return String(decoding: unread[0..<index], as: UTF8.self)
      }
      let count = try more(until: end, "the peer says nothing")
      guard count > 0 else { throw Silence(what: "the peer has ended") }
    }
  }

  /// The port in the line that the peer scripts begin with.
  func port() throws -> Int {
    let words = try line().split(separator: " ")
    return try #require(words.first == "port" ? Int(words[1]) : nil)
  }

  /// All that is left of its output, and its status, when it ends within 20 s.
  func finish() throws -> (output: String, status: Int32) {
    close(input)
    input = -1
    let end = Date().addingTimeInterval(20)
    while try more(until: end, "the program does not end") > 0 {}
    var status: Int32 = 0
    unsafe waitpid(process, &status, 0)
    process = 0
    return (String(decoding: unread, as: UTF8.self), status >> 8 & 0xFF)
  }

  /// A program's output, run to its end off the cooperative threads.
  static func run(_ program: String, _ arguments: [String], in folder: URL? = nil) async throws -> String {
    let child = try PeerProcess(program, arguments, in: folder)
    return try await withCheckedThrowingContinuation { done in
      Thread.detachNewThread { done.resume(with: Result { try child.finish().output }) }
    }
  }
}
