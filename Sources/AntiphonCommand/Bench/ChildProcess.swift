import Foundation

/// This program once more, with other arguments; its standard output can be read line by line.
///
/// Foundation's `Process` tells neither a child's processor time nor its memory.
@safe final class ChildProcess {
  /// What a child has cost, when it has ended.
  struct Cost {
    var seconds = 0.0
    /// Processor time of user and system, in seconds.
    var processorSeconds = 0.0
    var peakMemoryBytes = 0
    var status: Int32 = 0
  }

  private let process: pid_t
  private let output: Int32
  private let began = ContinuousClock.now
  private var isOver = false

  /// - Parameter core: the processor it is to stay on, where there is such a one.
  init(_ arguments: [String], core: Int? = nil) throws {
    var ends: [Int32] = [0, 0]
    let isMade = unsafe pipe(&ends) == 0
    guard isMade else { throw CommandFailure("no pipe: \(systemMessage(errno))") }
    // No other child may hold it open.
    _ = fcntl(ends[0], F_SETFD, FD_CLOEXEC)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[1])
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "antiphon"
    var words = [program] + arguments
    if let core {
      let script = #"taskset -c \#(core) true 2>/dev/null && exec taskset -c \#(core) "$0" "$@"; exec "$0" "$@""#
      words = ["/bin/sh", "-c", script] + words
    }
    var pointers = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let failure = unsafe posix_spawn(&child, words[0], &actions, nil, &pointers, environ)
    unsafe posix_spawn_file_actions_destroy(&actions)
    close(ends[1])
    process = child
    output = ends[0]
    guard failure == 0 else {
      isOver = true
      close(output)
      throw CommandFailure("\(words[0]) does not start: \(systemMessage(failure))")
    }
  }

  deinit { if !isOver { stop() } }

  /// The next line of its output; what stands before the end, when it has none any more.
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads the rest of its output away, so that it never waits for us.
  func ignoreOutput() {
    let descriptor = dup(output)
    Thread.detachNewThread {
      var rest = [UInt8](repeating: 0, count: 4_096)
      while unsafe read(descriptor, &rest, 4_096) > 0 {}
      close(descriptor)
    }
  }

  /// Asks it to end, and waits.
  @discardableResult
  func stop() -> Cost {
    kill(process, SIGTERM)
    return wait()
  }

  /// Waits for its end.
  @discardableResult
  func wait() -> Cost {
    guard !isOver else { return Cost() }
    isOver = true
    var cost = Cost()
    var usage = rusage()
    unsafe wait4(process, &cost.status, 0, &usage)
    close(output)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    cost.seconds = (ContinuousClock.now - began) / .seconds(1)
    cost.processorSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
    cost.peakMemoryBytes = Int(usage.ru_maxrss) * 1_024
    return cost
  }
}
