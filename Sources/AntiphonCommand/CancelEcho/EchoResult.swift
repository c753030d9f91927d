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
  var delayMilliseconds: Int
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
    delayMilliseconds = settings.bulkDelayMilliseconds
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
      format: "%@: echo taken away %@; %.3f s at %d Hz, %.0f times real time", output, erle, seconds, rate,
      timesRealTime)
  }

  /// Writes report.html and result.json.
  func write(to directory: URL, _ record: EchoRecord, _ outputs: OutputFiles) throws {
    var report = CallReport(
      title: "Echo cancellation",
      run: .init(
        command: (["antiphon"] + CommandLine.arguments.dropFirst()).joined(separator: " "), date: Date(),
        settings: [
          .init("Engine", engine), .init("Far end", far), .init("Microphone", near),
          .init("Told delay", "\(delayMilliseconds) ms"), .init("Tail", "\(tailMilliseconds) ms"),
        ]),
      durationSeconds: seconds)
    report.figures = [
      .init("Echo taken away", echoReturnLossEnhancement, unit: "dB", decimals: 1, note: "while the far end speaks"),
      .init(
        "In its best second", bestEchoReturnLossEnhancement, unit: "dB", decimals: 1,
        note: "where only the far end spoke, what the canceller can do"),
      .init("At the end", finalEchoReturnLossEnhancement, unit: "dB", decimals: 1),
      .init("Echo by the room", echoReturnLoss, unit: "dB", decimals: 1, note: "echo return loss"),
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
        series: [
          .init("ERLE", intervalSeconds: record.enhancement.intervalSeconds, values: record.enhancement.values)
        ])
    ]
    try outputs.open(directory.path + "/report.html") { try report.writePage(to: URL(fileURLWithPath: $0)) }
    let json = try JSONText.encode(self, pretty: true)
    try outputs.write(Data((json + "\n").utf8), to: directory.path + "/result.json")
  }
}
