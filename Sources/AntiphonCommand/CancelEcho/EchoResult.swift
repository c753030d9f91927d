import Antiphon
import CallReport
import Foundation

/// What the echo canceller did to a recording.
struct EchoResult: Outcome {
  var far: String
  var near: String
  var output: String
  var engine: String
  var rate: Int
  var frames: Int
  var seconds: Double
  /// By our own engine; `nil` where it found none.
  var foundDelayMilliseconds: Int?
  /// As `--delay-ms` told.
  var toldDelayMilliseconds: Int
  var tailMilliseconds: Int
  /// How far the output lies behind the microphone.
  var latencyMilliseconds: Double
  /// Over all stretches in which the far end spoke; low where both spoke.
  var echoReturnLossEnhancement: Double?
  /// Over the second of far-end speech in which it was highest: where only the far end spoke, what the canceller can do.
  var bestEchoReturnLossEnhancement: Double?
  /// Over about the last second of far-end speech.
  var finalEchoReturnLossEnhancement: Double
  var echoReturnLoss: Double
  /// How often a filter made things worse and was set back, as while it learns, in double talk or when the room changes.
  var divergences: Int
  var nonFiniteSamples: Int
  var timesRealTime: Double
  var warnings: [String]

  init(
    far: String, near: String, output: String, frames: Int, record: EchoRecord, latencySampleCount: Int,
    metrics: EchoMetrics, nonFiniteSamples: Int, settings: EchoSettings, pace: Pace, warnings: [String]
  ) {
    self.far = far
    self.near = near
    self.output = output
    self.frames = frames
    self.warnings = warnings
    engine = settings.engine == .own ? "own" : "speex"
    rate = record.sampleRate.hertz
    seconds = Double(frames) / Double(rate)
    foundDelayMilliseconds = metrics.delayMilliseconds
    toldDelayMilliseconds = settings.bulkDelayMilliseconds
    tailMilliseconds = settings.tailMilliseconds
    latencyMilliseconds = 1_000 * Double(latencySampleCount) / Double(rate)
    echoReturnLossEnhancement = record.meanEnhancement
    bestEchoReturnLossEnhancement = record.bestEnhancement
    finalEchoReturnLossEnhancement = Double(metrics.echoReturnLossEnhancement)
    echoReturnLoss = Double(metrics.echoReturnLoss)
    divergences = metrics.divergenceCount
    self.nonFiniteSamples = nonFiniteSamples
    timesRealTime = pace.timesRealTime(seconds)
  }

  var summary: String {
    func decibels(_ value: Double?) -> String { value.map { String(format: "%.1f dB", $0) } ?? "unknown" }
    let erle =
      echoReturnLossEnhancement == nil
      ? "unknown, for the far end is silent"
      : "\(decibels(bestEchoReturnLossEnhancement)) in its best second, \(decibels(echoReturnLossEnhancement)) over all "
        + "(the near end's speech counts as echo left over)"
    return String(
      format: "%@: echo taken away %@; %.0f ms behind the microphone; %.3f s at %d Hz, %.0f times real time", output,
      erle, latencyMilliseconds, seconds, rate, timesRealTime)
  }

  /// Writes report.html and result.json.
  func write(to directory: URL, _ record: EchoRecord, _ outputs: OutputFiles) throws {
    var report = CallReport(
      title: "Echo cancellation",
      run: .init(
        command: ShellText.commandLine, date: Date(),
        settings: [
          .init("Engine", engine), .init("Far end", far), .init("Microphone", near),
          .init("Told delay", "\(toldDelayMilliseconds) ms"), .init("Tail", "\(tailMilliseconds) ms"),
        ]),
      durationSeconds: seconds)
    report.figures = [
      .init(
        "Echo taken away in the best second", bestEchoReturnLossEnhancement, unit: "dB", decimals: 1,
        note: "where only the far end spoke, what the canceller can do"),
      .init(
        "Over all", echoReturnLossEnhancement, unit: "dB", decimals: 1, note: "the near end's speech counts as echo"),
      .init("At the end", finalEchoReturnLossEnhancement, unit: "dB", decimals: 1),
      .init("Echo by the room", echoReturnLoss, unit: "dB", decimals: 1, note: "echo return loss"),
      .init(
        "Echo's delay", foundDelayMilliseconds.map(Double.init), unit: "ms",
        note: engine == "own" ? "found" : "SpeexDSP's must be told"),
      .init("Latency", latencyMilliseconds, unit: "ms"),
      .init("Speed", timesRealTime, unit: "× real time"),
    ]
    report.warnings = warnings
    if seconds > Double(EchoRecord.shownSeconds) {
      report.warnings.append("Players and pictures show the first \(EchoRecord.shownSeconds) s; figures cover all.")
    }
    report.tracks = [
      try .recorded("Far end", detail: "what the loudspeaker played", .farEnd, record.far, record.sampleRate),
      try .recorded("Microphone", detail: "before", .nearEnd, record.near, record.sampleRate),
      try .recorded("Output", detail: "after", .nearEnd, record.output, record.sampleRate),
    ]
    report.plots = [
      .init(
        "Echo return loss enhancement", unit: "dB", minimum: 0,
        note: "over the last second of far-end speech; low where the near end speaks too",
        series: [
          .init("ERLE", intervalSeconds: record.enhancement.intervalSeconds, values: record.enhancement.values)
        ])
    ]
    try outputs.write(report.html(), to: directory.path + "/report.html")
    let json = try JSONText.encode(self, pretty: true)
    try outputs.write(Data((json + "\n").utf8), to: directory.path + "/result.json")
  }
}
