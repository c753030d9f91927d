import Antiphon
import Foundation
import Synchronization

/// Many sessions in one process, on one core: the demo agent hums to each from another core.
struct SessionBench {
  /// What was measured.
  struct Result: Encodable {
    var sessions: Int
    var seconds: Double
    /// From each session's start to its first sound of the agent, in ms.
    var startMedianMilliseconds: Double
    var startWorstMilliseconds: Double
    /// Of one core, by this process, the agent's not counted.
    var coreShare: Double
    /// Blocks of 20 ms that came too late for the clock of all sessions.
    var missedTicks: Int
    var longestTickMilliseconds: Double
    /// How much later than asked the event loop's timers came.
    var loopLateness99Milliseconds: Double
    var loopLatenessWorstMilliseconds: Double
    /// Packets of the microphone that a session sent at least, of those that were due.
    var fewestPackets: Int
    var duePackets: Int
    /// Samples that a session had to make up, at most.
    var mostConcealedSamples: Int
    var bytesPerSession: Int

    var summary: String {
      func f(_ value: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", value) }
      return """
        \(sessions) sessions on one core for \(f(seconds)) s: \(f(100 * coreShare)) % of it, \(bytesPerSession / 1024) KiB each
          start to the agent's first sound   \(f(startMedianMilliseconds)) ms median, \(f(startWorstMilliseconds)) ms worst
          ticks of 20 ms missed              \(missedTicks), the longest took \(f(longestTickMilliseconds)) ms
          the loop's timers late by          \(f(loopLateness99Milliseconds, 2)) ms at 99 %, \(f(loopLatenessWorstMilliseconds, 2)) ms worst
          packets sent by the least of them  \(fewestPackets) of \(duePackets)
          samples made up by the most        \(mostConcealedSamples)
        """
    }
  }

  let count: Int
  let seconds: Int

  func run() throws -> Result {
    let agent = try ChildProcess(
      ["agent", "--as", "elevenlabs", "--voice", "tone:440", "--listen", "127.0.0.1:0"], core: 1)
    defer { agent.stop() }
    let line = agent.line()
    guard let place = line.range(of: "listening at ") else {
      throw CommandFailure("the agent does not listen: \(line)")
    }
    agent.ignoreOutput()
    let (count, seconds, url) = (count, seconds, String(line[place.upperBound...]))
    return try AsyncWork.wait { try await Self.measure(count, seconds: seconds, url: url) }
  }

  private static func measure(_ count: Int, seconds: Int, url: String) async throws -> Result {
    let loop = EventLoop()
    // The sound's own rate: nothing is resampled.
    let clock = SharedClock(sampleRate: .hz16000)
    var environment = SessionEnvironment(sound: .shared(clock), on: loop)
    environment.engine = .unprocessed
    environment.engine.engineRate = .hz16000
    environment.engine.streamPlayout.capacitySeconds = 10
    let memory = residentBytes()
    let base = url.replacingOccurrences(of: "/v1/convai/conversation", with: "")
    var calls: [Call] = []
    var starts: [Double] = []
    for _ in 0..<count {
      let began = ContinuousClock.now
      let call = try await Call.start(.elevenLabs(agent: "bench", host: ElevenLabsHost(base)), environment: environment)
      for await event in call.events { if case .agentState(.speaking) = event { break } }
      starts.append((ContinuousClock.now - began) / .milliseconds(1))
      calls.append(call)
    }
    let bytes = residentBytes() - memory
    let lateness = LatenessWatch(loop)
    let before = (cpuSeconds(), clock.statistics.missedCount, await packets(of: calls))
    let began = ContinuousClock.now
    try await Task.sleep(for: .seconds(seconds))
    let passed = (ContinuousClock.now - began) / .seconds(1)
    let processor = cpuSeconds()
    let after = (processor, clock.statistics, await packets(of: calls))
    let late = lateness.stop()
    var concealed = 0
    for call in calls { concealed = max(concealed, await call.snapshot?.statistics.inboundRTP.concealedSamples ?? 0) }
    await withTaskGroup(of: Void.self) { group in for call in calls { group.addTask { await call.end() } } }
    starts.sort()
    return Result(
      sessions: count, seconds: passed, startMedianMilliseconds: starts[starts.count / 2],
      startWorstMilliseconds: starts.last ?? 0, coreShare: (after.0 - before.0) / passed,
      missedTicks: after.1.missedCount - before.1, longestTickMilliseconds: after.1.longestMilliseconds,
      loopLateness99Milliseconds: late.p99, loopLatenessWorstMilliseconds: late.worst,
      fewestPackets: zip(after.2, before.2).map { $0 - $1 }.min() ?? 0, duePackets: Int(passed * 50),
      mostConcealedSamples: concealed, bytesPerSession: bytes / count)
  }

  private static func packets(of calls: [Call]) async -> [Int] {
    var counts: [Int] = []
    for call in calls { counts.append(await call.snapshot?.statistics.outboundRTP.packetsSent ?? 0) }
    return counts
  }

  private static func cpuSeconds() -> Double {
    var usage = rusage()
    _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  private static func residentBytes() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4_096
  }
}

/// Asks a loop again and again to come in 5 ms, and notes how much later it came.
private final class LatenessWatch: Sendable {
  private struct State {
    var lateness: [Double] = []
    var timer: LoopTimer?
    var isStopped = false
  }

  private let loop: EventLoop
  private let state = Mutex(State())

  init(_ loop: EventLoop) {
    self.loop = loop
    ask()
  }

  private func ask() {
    let due = EventLoop.now.advanced(byNanoseconds: 5_000_000)
    let timer = loop.schedule(at: due) { [weak self] in self?.came(due) }
    state.withLock { $0.timer = timer }
  }

  private func came(_ due: MediaInstant) {
    let late = Double(EventLoop.now.nanoseconds - due.nanoseconds) * 1e-6
    let goesOn = state.withLock { state in
      state.lateness.append(late)
      return !state.isStopped
    }
    if goesOn { ask() }
  }

  func stop() -> (p99: Double, worst: Double) {
    state.withLock { state in
      state.isStopped = true
      let sorted = state.lateness.sorted()
      return sorted.isEmpty ? (0, 0) : (sorted[sorted.count * 99 / 100], sorted[sorted.count - 1])
    }
  }
}
