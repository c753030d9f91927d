import Antiphon
import Foundation

/// What the program costs as a whole: one call with everything on, its memory, the binary, and its start.
struct SystemBench {
  /// What was measured.
  struct Result: Encodable {
    var callSeconds: Double
    /// Of one core, by the caller's process: 48 kHz, echo canceller, noise suppressor, gain, Opus, SRTP, ICE.
    var callCoreShare: Double
    var callPeakMemoryBytes: Int
    var binaryBytes: Int
    var startMedianMilliseconds: Double
    var setupMilliseconds: Double?

    var summary: String {
      func f(_ value: Double) -> String { String(format: "%.1f", value) }
      let setup = setupMilliseconds.map { "\(f($0)) ms" } ?? "it did not stand"
      return """
        one call, 48 kHz, everything on    \(f(100 * callCoreShare)) % of one core over \(f(callSeconds)) s
        memory of its process at most      \(f(Double(callPeakMemoryBytes) / 1_048_576)) MiB
        set-up, offer to first sound       \(setup)
        the binary                         \(f(Double(binaryBytes) / 1_048_576)) MiB
        start of the program, median of 20 \(f(startMedianMilliseconds)) ms
        """
    }
  }

  let seconds: Int

  func run() throws -> Result {
    var starts: [Double] = []
    for _ in 0..<20 {
      let child = try ChildProcess(["--version"])
      child.ignoreOutput()
      starts.append(1_000 * child.wait().seconds)
    }
    starts.sort()
    let (cost, setup) = try call()
    let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let size = try? FileManager.default.attributesOfItem(atPath: program)[.size] as? Int
    return Result(
      callSeconds: cost.seconds, callCoreShare: cost.processorSeconds / cost.seconds,
      callPeakMemoryBytes: cost.peakMemoryBytes, binaryBytes: size ?? 0, startMedianMilliseconds: starts[10],
      setupMilliseconds: setup)
  }

  /// A call of two processes, each with a recording as microphone.
  private func call() throws -> (ChildProcess.Cost, setup: Double?) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let microphone = folder.appendingPathComponent("voice.wav").path
    var writer = try AudioFileWriter(path: microphone, format: .mono(.hz48000))
    try writer.write(MadeUpVoice(seconds: seconds).samples.span)
    try writer.finish()
    func output(_ name: String) -> String { folder.appendingPathComponent(name).path }
    let callee = try ChildProcess([
      "answer", "--listen", "127.0.0.1:0", "--mic", microphone, "--out", output("callee.wav"), "--calls", "1",
    ])
    let line = callee.line()
    guard let place = line.range(of: "listening at ") else { throw CommandFailure("the called end says: \(line)") }
    callee.ignoreOutput()
    let caller = try ChildProcess([
      "call", "--to", String(line[place.upperBound...]), "--mic", microphone, "--out", output("caller.wav"), "--json",
      "--seconds", "\(seconds)",
    ])
    var json = ""
    while case let next = caller.line(), !next.isEmpty { json += next + "\n" }
    let cost = caller.wait()
    callee.stop()
    struct Figures: Decodable { var firstSoundMilliseconds: Double? }
    let figures = try? JSONDecoder().decode(Figures.self, from: Data(json.utf8))
    return (cost, figures?.firstSoundMilliseconds)
  }
}
