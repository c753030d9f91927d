import AudioDevices
import Foundation
import RealtimeCore
import Synchronization
import Testing

/// A PulseAudio daemon of one test's own, without any hardware: it ends with the test.
final class SoundServer {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-pulse-\(UUID().uuidString)")
  private var process: pid_t = 0
  var address: String { "unix:\(folder.path)/pulse.sock" }

  /// Starts the daemon with these modules after its socket, each as in a `pactl load-module` line.
  init(_ modules: [String]) throws {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try start(modules)
  }

  deinit {
    stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func start(_ modules: [String]) throws {
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
  func crash() {
    end(with: SIGKILL)
    try? FileManager.default.removeItem(atPath: folder.path + "/pulse.sock")
  }

  func stop() { end(with: SIGTERM) }

  private func end(with signal: Int32) {
    guard process > 0 else { return }
    kill(process, signal)
    waitpid(process, nil, 0)
    process = 0
  }

  /// `pactl` with these words; its output.
  @discardableResult
  func control(_ words: String...) throws -> String {
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

/// Plays a tone, and counts what comes back of it.
final class ToneClient: DeviceClient, @unchecked Sendable {
  let hertz: Double
  let sampleRate: Double
  private var phase = 0.0
  private var sum = (real: 0.0, imaginary: 0.0)
  private var time = 0.0
  private var energy = 0.0
  let captured = Atomic<Int>(0)
  let rendered = Atomic<Int>(0)
  /// Full blocks of 100 ms in which the tone alone was heard, since the last look.
  let blocksWithTone = Atomic<Int>(0)
  let worstLatency = Atomic<Int>(0)

  init(hertz: Double, sampleRate: SampleRate = .hz48000) {
    self.hertz = hertz
    self.sampleRate = Double(sampleRate.hertz)
  }

  override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    for index in 0..<samples.count {
      samples[index] = Float(0.5 * sin(phase))
      phase += 2 * .pi * hertz / sampleRate
      if phase > 2 * .pi { phase -= 2 * .pi }
    }
    rendered.wrappingAdd(samples.count, ordering: .relaxed)
    worstLatency.max(Int(moment.latencyNanoseconds), ordering: .relaxed)
  }

  override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    for index in 0..<samples.count {
      let sample = Double(samples[index])
      sum.real += sample * cos(time)
      sum.imaginary += sample * sin(time)
      energy += sample * sample
      time += 2 * .pi * hertz / sampleRate
    }
    let before = captured.wrappingAdd(samples.count, ordering: .relaxed).oldValue
    let length = Int(sampleRate / 10)
    if (before + samples.count) / length > before / length {
      // By Parseval, all the energy of a block of a pure tone lies in its own bin.
      let tone = 2 * (sum.real * sum.real + sum.imaginary * sum.imaginary) / Double(length)
      if energy > 0.01 * Double(length), tone > 0.9 * energy { blocksWithTone.wrappingAdd(1, ordering: .relaxed) }
      sum = (0, 0)
      energy = 0
    }
  }
}

/// Gathers the events of a system, and waits for one.
final class EventLog: @unchecked Sendable {
  private let lock = NSCondition()
  private var events: [AudioDeviceEvent] = []
  private let system: AudioSystem
  private var number = 0

  init(_ system: AudioSystem) {
    self.system = system
    number = system.addListener { [weak self] event in self?.append(event) }
  }

  deinit { system.removeListener(number) }

  private func append(_ event: AudioDeviceEvent) {
    lock.withLock {
      events.append(event)
      lock.broadcast()
    }
  }

  /// Waits until an event is told for which `isWanted` holds; what came before it is forgotten.
  func wait(seconds: Double = 10, for isWanted: (AudioDeviceEvent) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    return lock.withLock {
      while true {
        if let index = events.firstIndex(where: isWanted) {
          events.removeFirst(index + 1)
          return true
        }
        if !lock.wait(until: end) { return false }
      }
    }
  }
}
