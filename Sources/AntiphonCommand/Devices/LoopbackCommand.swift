import Antiphon
import Foundation

/// Speak and hear yourself through the whole path: microphone, encoder, jitter buffer, decoder, loudspeaker.
struct LoopbackCommand: Command {
  static let name = "loopback"
  static let summary = "hear yourself through codec and jitter buffer, and measure the latency"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.captureDevice,
    ArgumentSyntax.playbackDevice,
    ArgumentSyntax.value("--codec", "NAME", "opus, pcmu, pcma, g722 or l16 (default: opus)"),
    ArgumentSyntax.value("--latency-ms", "MS", "what is asked of each device, 2 to 500 (default: 10)"),
    ArgumentSyntax.value("--seconds", "N", "how long, 1 to 3600 (default: 10)"),
    ArgumentSyntax.flag("--cancel", "with echo canceller, noise suppressor and gain; tells the echo return loss"),
    ArgumentSyntax.flag("--json", "print the result as JSON"),
  ])
  static let example = "antiphon loopback --cancel --seconds 5"
  static let notes = """
    Use a headset, or --cancel: a microphone that hears its own loudspeaker howls. The latency is measured by likeness of
    what came from the microphone and what went to the loudspeaker, with what the devices tell of their own.
    """

  struct Result: Encodable {
    var seconds: Double
    var capture: String?
    var playback: String?
    /// From microphone to loudspeaker, devices included, in ms; `nil` where nothing was loud enough to be found again.
    var latencyMedianMilliseconds: Double?
    var latencyP95Milliseconds: Double?
    var captureLatencyMilliseconds: Double
    var playbackLatencyMilliseconds: Double
    var playoutDelayMilliseconds: Double
    var captureXruns: Int
    var playbackXruns: Int
    var concealedPercent: Double
    var echoReturnLoss: Double?
    var echoReturnLossEnhancement: Double?
    var hasRealtimePriority: Bool

    var summary: String {
      func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.1f ms", $0) } ?? "–" }
      var lines = [
        String(format: "%.1f s from %@ to %@", seconds, capture ?? "no microphone", playback ?? "no loudspeaker"),
        "  microphone to loudspeaker  \(milliseconds(latencyMedianMilliseconds)) "
          + "(p95 \(milliseconds(latencyP95Milliseconds)))"
          + (latencyMedianMilliseconds == nil ? ": nothing was loud enough to be found again" : ""),
        "  of that in the devices     \(milliseconds(captureLatencyMilliseconds)) and "
          + milliseconds(playbackLatencyMilliseconds),
        "  in the jitter buffer       \(milliseconds(playoutDelayMilliseconds))",
        String(
          format: "  concealed %.1f %%, xruns %d and %d, real-time priority: %@", concealedPercent, captureXruns,
          playbackXruns, hasRealtimePriority ? "yes" : "no"),
      ]
      if let echoReturnLoss, let echoReturnLossEnhancement {
        lines.append(
          String(
            format: "  echo return loss %.0f dB, and %.0f dB by the canceller", echoReturnLoss,
            echoReturnLossEnhancement))
      }
      return lines.joined(separator: "\n")
    }
  }

  private let devices: DeviceSettings
  private let format: CodecFormat
  private let seconds: Double
  private let cancels: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    var devices = DeviceSettings()
    devices.capture = arguments.text("--capture")
    devices.playback = arguments.text("--playback")
    devices.latencyMilliseconds = try arguments.decimal("--latency-ms", in: 2...500) ?? 10
    devices.streamName = "loopback"
    self.devices = devices
    format =
      try arguments.choice(
        "--codec",
        [("opus", CodecFormat.opus()), ("pcmu", .pcmu), ("pcma", .pcma), ("g722", .g722), ("l16", .l16(.hz48000))])
      ?? .opus()
    seconds = try arguments.decimal("--seconds", in: 1...3_600) ?? 10
    cancels = arguments.has("--cancel")
    printsJSON = arguments.has("--json")
  }

  func run() throws {
    var settings = cancels ? MediaEngineSettings.voiceAgent : .unprocessed
    settings.bandCount = 0
    settings.sendFormat = format
    settings.receiveFormat = format
    let recorder = LoopbackRecorder(seconds: min(seconds, 60))
    let client = try LoopbackClient(settings, recorder)
    let system = try AudioSystem()
    let log = DispatchQueue(label: "events")
    let number = system.addListener { event in log.async { Terminal.error("antiphon loopback: \(event)") } }
    defer { system.removeListener(number) }
    let stream = try system.start(client, devices)
    var progress = Progress("loopback")
    let began = ContinuousClock.now
    while case let passed = (ContinuousClock.now - began) / .seconds(1), passed < seconds {
      usleep(50_000)
      progress.update(done: passed, total: seconds)
    }
    progress.finish()
    let (captured, played) = (stream.captureStatistics, stream.playbackStatistics)
    stream.stop()
    let result = try result(client, recorder, captured, played, system.hasRealtimePriority)
    try Terminal.line(printsJSON ? JSONText.encode(result) : result.summary)
  }

  private func result(
    _ client: LoopbackClient, _ recorder: LoopbackRecorder, _ captured: DeviceStatistics, _ played: DeviceStatistics,
    _ isRealtime: Bool
  ) throws -> Result {
    var meter = try DelayMeter(sampleRate: 8_000)
    let (spoken, heard) = recorder.signals
    let readings = meter.measure(
      try spoken.resampled(from: .hz48000, to: .hz8000), try heard.resampled(from: .hz48000, to: .hz8000))
    let latencies = readings.map { $0.milliseconds + recorder.offsetMilliseconds }.sorted()
    let statistics = client.statistics
    let received = statistics.inboundRTP.totalSamplesReceived
    return Result(
      seconds: seconds, capture: captured.device, playback: played.device,
      latencyMedianMilliseconds: latencies.quantile(0.5), latencyP95Milliseconds: latencies.quantile(0.95),
      captureLatencyMilliseconds: captured.latencyMilliseconds, playbackLatencyMilliseconds: played.latencyMilliseconds,
      playoutDelayMilliseconds: client.playoutDelayMilliseconds, captureXruns: captured.xrunCount,
      playbackXruns: played.xrunCount,
      concealedPercent: received > 0 ? 100 * Double(statistics.inboundRTP.concealedSamples) / Double(received) : 0,
      echoReturnLoss: cancels ? statistics.mediaSource.echoReturnLoss : nil,
      echoReturnLossEnhancement: cancels ? statistics.mediaSource.echoReturnLossEnhancement : nil,
      hasRealtimePriority: isRealtime)
  }
}
