import Antiphon
import CallReport
import Foundation

/// The counters of a replay, from its first to its last arrival.
struct SimulationResult {
  var trace: String
  var packets: String
  var output: String
  /// All that was played, the tail included.
  var seconds: Double
  var timesRealTime: Double
  /// Over the fastest packets, by time.
  var playoutDelayMedianMilliseconds: Double?
  var playoutDelayP95Milliseconds: Double?
  /// What an emitted sample waited on the average.
  var jitterBufferDelayMeanMilliseconds: Double?
  var rowsInTrace: Int
  /// By the trace, or because the packet file does not have them.
  var rowsLost: Int
  /// Those of the lost ones that the packet file does not have.
  var rowsWithoutPacket: Int
  var packetFileFault: String?
  var lastArrivalSeconds: Double
  var warnings: [String]

  // By the names of simulators.
  var totalSamples: Int
  var statistics: JitterBufferStatistics

  init(
    trace: String, packets: String, output: String, arrivals: borrowing TraceArrivals, replay: borrowing TraceReplay,
    record: PlayoutRecord, timesRealTime: Double
  ) {
    self.trace = trace
    self.packets = packets
    self.output = output
    self.timesRealTime = timesRealTime
    seconds = record.seconds
    playoutDelayMedianMilliseconds = record.delay(within: 0.5)
    playoutDelayP95Milliseconds = record.delay(within: 0.95)
    statistics = replay.statisticsAtLastArrival
    totalSamples = replay.sampleCountBetweenArrivals
    let emitted = statistics.jitterBufferEmittedCount
    jitterBufferDelayMeanMilliseconds = emitted > 0 ? 1_000 * statistics.jitterBufferDelay / Double(emitted) : nil
    rowsInTrace = arrivals.rowCount
    rowsLost = arrivals.lostCount
    rowsWithoutPacket = arrivals.rowsWithoutPacket
    packetFileFault = arrivals.packetFileFault.map { "\($0)" }
    lastArrivalSeconds = Double(arrivals.lastArrival?.nanoseconds ?? 0) * 1e-9
    warnings = []
    if arrivals.arrivalsBeforeSending > 0 {
      warnings.append(
        "\(trace): \(counted(arrivals.arrivalsBeforeSending, "row")) arrive before they are sent: two clocks that disagree, or columns that are mixed up"
      )
    }
    if rowsWithoutPacket > 0 {
      warnings.append("\(trace): \(counted(rowsWithoutPacket, "row")) without a packet in \(packets) count as lost")
    }
    if arrivals.timestampMismatches > 0 {
      warnings.append(
        "\(trace): \(counted(arrivals.timestampMismatches, "row")) with another timestamp than the packet's, which counts"
      )
    }
    if statistics.malformedPackets > 0 {
      warnings.append("\(packets): \(counted(statistics.malformedPackets, "packet")) that Opus cannot read")
    }
  }

  var summary: String {
    func percent(_ count: Int) -> Double { totalSamples > 0 ? 100 * Double(count) / Double(totalSamples) : 0 }
    func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.0f ms", $0) } ?? "–" }
    return String(
      format: """
        %@: %.2f s, %.0f times real time
          packets lost on the way     %d of %d
          playout delay, median       %@ (p95 %@), over the fastest packets
          concealed                   %.2f %% in %d events
          slowed down, sped up        %.2f %%, %.2f %%
          discarded packets           %d
        """,
      output, seconds, timesRealTime, rowsLost, rowsInTrace, milliseconds(playoutDelayMedianMilliseconds),
      milliseconds(playoutDelayP95Milliseconds), percent(statistics.concealedSamples), statistics.concealmentEvents,
      percent(statistics.insertedSamplesForDeceleration), percent(statistics.removedSamplesForAcceleration),
      statistics.packetsDiscarded)
  }

  /// The page that shows this replay.
  func report(_ record: PlayoutRecord) throws -> CallReport {
    var report = CallReport(
      title: "A jitter buffer over \(trace)",
      run: .init(
        command: ShellText.commandLine, date: Date(), codec: "Opus",
        network: trace, settings: [.init("Packets", packets)]),
      durationSeconds: seconds)
    let total = Double(max(1, totalSamples))
    report.figures = [
      .init(
        "Playout delay", playoutDelayMedianMilliseconds, unit: "ms",
        note: playoutDelayP95Milliseconds.map { String(format: "p95 %.0f ms", $0) }),
      .init("Lost on the network", 100 * Double(rowsLost) / Double(max(1, rowsInTrace)), unit: "%", decimals: 1),
      .init("Concealed", 100 * Double(statistics.concealedSamples) / total, unit: "%", decimals: 1),
      .init("Concealments", Double(statistics.concealmentEvents)),
      .init("Speed", timesRealTime, unit: "× real time"),
    ]
    report.warnings = warnings + [packetFileFault].compactMap(\.self)
    if seconds > Double(PlayoutRecord.shownSeconds) {
      report.warnings.append("Player and pictures show the first \(PlayoutRecord.shownSeconds) s; figures cover all.")
    }
    report.tracks = [
      try .recorded("Played", detail: "after jitter buffer and decoder", .farEnd, record.samples, record.sampleRate)
    ]
    // Counters run from the first to the last arrival; behind that nothing is left to be played.
    let concealed = record.concealed.intervals.filter { $0.start < lastArrivalSeconds }
    report.strips = [
      .init(
        "Concealed", kind: .concealment, track: "Played",
        intervals: concealed.map { .init(start: $0.start, end: min($0.end, lastArrivalSeconds)) },
        eventCount: statistics.concealmentEvents,
        totalSeconds: Double(statistics.concealedSamples) / Double(record.sampleRate.hertz))
    ]
    report.plots = [
      .init(
        "Playout delay", unit: "ms", minimum: 0,
        series: [
          .init(
            "played", style: .area, intervalSeconds: record.playoutDelay.intervalSeconds,
            values: record.playoutDelay.values),
          .init(
            "target", style: .step, intervalSeconds: record.targetDelay.intervalSeconds,
            values: record.targetDelay.values),
        ])
    ]
    report.statistics = [
      .init("inbound-rtp", statistics.namedCounters.map { .init($0.name, $0.value) })
    ]
    return report
  }
}
