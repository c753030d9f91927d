import Foundation
import Testing

/// A PulseAudio daemon of one test's own, without any hardware: it ends with the test.
public final class SoundServer {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "antiphon-pulse-\(UUID().uuidString)")
  private var process: pid_t = 0
  /// As for `PULSE_SERVER`.
  public var address: String { "unix:\(folder.path)/pulse.sock" }

  /// Starts the daemon with these modules after its socket, each as in a `pactl load-module` line.
  public init(_ modules: [String]) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try start(modules)
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Starts the daemon again, with these modules.
  public func start(_ modules: [String]) throws {
    let words =
      ["pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--log-target=file:\(folder.path)/log"]
      + (["module-native-protocol-unix socket=\(folder.path)/pulse.sock auth-anonymous=1"] + modules)
      .flatMap { ["-L", $0] }
    let environment = ["HOME=\(folder.path)", "XDG_RUNTIME_DIR=\(folder.path)", "PATH=/usr/bin:/bin", "LANG=C"]
    // Not by Foundation: the daemon closes all descriptors that it inherits, and by one of those Foundation knows of its
    // child's end.
    var arguments = unsafe (words.map { unsafe strdup($0) } + [nil])
    var variables = unsafe (environment.map { unsafe strdup($0) } + [nil])
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    let status = unsafe posix_spawn(&process, "/usr/bin/pulseaudio", nil, nil, &arguments, &variables)
    try #require(status == 0, "pulseaudio does not start")
    // The daemon is up when its own client gets an answer.
    var answered = false
    for _ in 0..<200 where !answered && kill(process, 0) == 0 { answered = (try? control("info")) != nil }
    try #require(answered, "the sound server does not start: see \(folder.path)/log")
  }

  /// The daemon goes as in a crash.
  public func crash() {
    end(with: SIGKILL)
    try? FileManager.default.removeItem(atPath: folder.path + "/pulse.sock")
  }

  /// The daemon ends in order.
  public func stop() { end(with: SIGTERM) }

  private func end(with signal: Int32) {
    guard process > 0 else { return }
    kill(process, signal)
    waitpid(process, nil, 0)
    process = 0
  }

  /// `pactl` with these words; its output.
  @discardableResult
  public func control(_ words: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/pactl")
    process.arguments = ["-s", address] + words
    process.environment = ["HOME": folder.path, "XDG_RUNTIME_DIR": folder.path, "PATH": "/usr/bin:/bin", "LANG": "C"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    struct Refused: Error {}
    if process.terminationStatus != 0 { throw Refused() }
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
