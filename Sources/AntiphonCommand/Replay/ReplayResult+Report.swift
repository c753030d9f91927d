import Antiphon
import CallReport
import Foundation

extension ReplayResult.Stream {
  /// The page that shows this stream.
  func report(of stream: CapturedStream, in file: String, _ record: ReplayRecord) throws -> CallReport {
    var report = CallReport(
      title: "Replay of \(file)",
      run: .init(
        command: CaptureOptions.commandLine, date: Date(),
        codec: captured.codecs.map { "\($0.mimeType ?? "unknown") (payload type \($0.payloadType))" }
          .joined(separator: ", "),
        network: "\(captured.source) to \(captured.destination)",
        settings: [
          .init("SSRC", captured.ssrc), .init("Keys pressed", captured.keys.isEmpty ? "none" : captured.keys),
          .init("Output", "\(output), \(rate) Hz"),
        ]),
      durationSeconds: seconds)
    report.figures = figures
    report.warnings = captured.warnings + warnings
    if seconds > Double(ReplayRecord.shownSeconds) {
      report.warnings.append("Player and pictures show the first \(ReplayRecord.shownSeconds) s; figures cover all.")
    }
    report.tracks = [
      try .recorded("Played", detail: "after jitter buffer and decoder", .farEnd, record.samples, record.sampleRate)
    ]
    report.strips = strips(stream, record)
    report.plots = plots(record)
    report.statistics = [
      .init("inbound-rtp", statistics.namedCounters.map { .init($0.name, $0.value) }),
      .init(
        "in the capture",
        [
          .init("packetsReceived", Double(captured.packetsReceived)),
          .init("packetsExpected", Double(captured.packetsExpected)),
          .init("packetsLost", Double(captured.packetsLost)),
          .init("packetsDuplicated", Double(captured.packetsDuplicated)),
          .init("packetsReordered", Double(captured.packetsReordered)),
          .init("burstLossCount", Double(captured.burstLossCount)),
          .init("burstPacketsLost", Double(captured.burstPacketsLost)),
          .init("bytesReceived", Double(captured.bytesReceived)),
          .init("jitter", captured.jitter, unit: "s"),
          .init("jitterMean", captured.jitterMean, unit: "s"),
          .init("jitterMaximum", captured.jitterMaximum, unit: "s"),
        ]),
    ]
    return report
  }

  private var figures: [CallReport.Figure] {
    let expected = Double(max(1, captured.packetsExpected))
    return [
      .init(
        "Playout delay", playoutDelayMedianMilliseconds, unit: "ms",
        note: playoutDelayP95Milliseconds.map { String(format: "p95 %.0f ms", $0) }),
      .init(
        "Lost on the network", 100 * Double(captured.packetsLost) / expected, unit: "%", decimals: 2,
        note: "\(captured.packetsLost) of \(captured.packetsExpected)"),
      .init("Too late", Double(packetsTooLate), note: "packets"),
      .init(
        "Concealed", concealedSeconds * 1_000, unit: "ms", note: "in \(counted(statistics.concealmentEvents, "event"))"),
      .init(
        "Jitter, largest", 1_000 * captured.jitterMaximum, unit: "ms", decimals: 2,
        note: String(format: "mean %.2f ms", 1_000 * captured.jitterMean)),
    ]
  }

  /// Where each begins on the page: seconds after the stream's first packet.
  private func strips(_ stream: CapturedStream, _ record: ReplayRecord) -> [CallReport.EventStrip] {
    typealias Interval = CallReport.EventStrip.Interval
    let packet = captured.packetSeconds ?? 0
    let losses = captured.lossBursts.map {
      Interval(start: $0.startSeconds, end: $0.startSeconds + Double($0.packets) * packet)
    }
    let keys = captured.telephoneEvents.map {
      Interval(start: $0.startSeconds, end: $0.startSeconds + $0.durationSeconds)
    }
    let strips: [CallReport.EventStrip] = [
      .init("Lost", kind: .loss, intervals: losses),
      .init("Too late", kind: .late, intervals: record.late.times.map { Interval(start: $0, end: $0) }),
      .init("Out of order", kind: .other, intervals: record.reordered.times.map { Interval(start: $0, end: $0) }),
      .init("Second copies", kind: .other, intervals: record.duplicates.times.map { Interval(start: $0, end: $0) }),
      .init(
        "Concealed", kind: .concealment, track: "Played", intervals: record.concealed.intervals,
        eventCount: statistics.concealmentEvents, totalSeconds: concealedSeconds),
      .init("Played faster", kind: .timeStretch, intervals: record.shortened.intervals),
      .init("Played slower", kind: .timeStretch, intervals: record.lengthened.intervals),
      .init("The sender pauses", kind: .other, intervals: record.pauses.intervals),
      .init("Keys \(captured.keys)", kind: .other, intervals: keys),
    ]
    // Losses and concealment are worth an empty line; the rest only where it happened.
    return strips.filter { !$0.intervals.isEmpty || [.loss, .concealment].contains($0.kind) }
  }

  private func plots(_ record: ReplayRecord) -> [CallReport.TimePlot] {
    let points = [
      ("packets", record.transits), ("out of order", record.reordered), ("too late", record.late),
      ("second copies", record.duplicates),
    ].filter { !$0.1.times.isEmpty }
    // Transits have an unknown constant in them: the fastest packet counts as 0.
    let fastest = Float(points.map(\.1.lowest).min() ?? 0)
    let transits = points.map { name, recorder in
      CallReport.TimeSeries(name, style: .points, times: recorder.times, values: recorder.values.map { $0 - fastest })
    }
    return [
      .init("Transit of each packet, over the fastest", unit: "ms", minimum: 0, series: transits),
      .init(
        "Playout delay", unit: "ms", minimum: 0,
        series: [
          .init(
            "played", style: .area, intervalSeconds: record.playoutDelay.intervalSeconds,
            values: record.playoutDelay.values),
          .init(
            "target", style: .step, intervalSeconds: record.targetDelay.intervalSeconds,
            values: record.targetDelay.values),
        ]),
    ]
  }
}
