import Antiphon
import CallReport
import Foundation

/// The echo canceller on a pair of recordings, in the rhythm of a live client.
struct CancelEchoCommand: Command {
  static let name = "cancel-echo"
  static let summary = "remove the far end's echo from a microphone recording"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.required("--far", "FILE", "what the loudspeaker played"),
    ArgumentSyntax.required("--near", "FILE", "what the microphone took, at the same rate"),
    ArgumentSyntax.required("--out", "FILE", "the microphone without the echo: same rate and length, 16 bit"),
    ArgumentSyntax.value(
      "--delay-ms", "N",
      "the echo's delay by the devices, where it is known, 0 to 500; speex needs it, own takes it as advice (default: 0)"
    ),
    ArgumentSyntax.value("--tail-ms", "N", "how long the room answers, 50 to 500 (default: 250)"),
    ArgumentSyntax.value("--engine", "NAME", "own (default), or speex to compare with"),
    ArgumentSyntax.value("--report", "DIR", "also write report.html and result.json there"),
    ArgumentSyntax.flag("--json", "print the result as JSON"),
  ])
  static let example =
    "antiphon run --report call && antiphon cancel-echo --far call/played.wav --near call/microphone.wav --out near.wav"
  static let notes = """
    Works as a live client would: 10 ms of far end, then 10 ms of microphone, nothing ahead of its time. The output lies
    behind the microphone by the canceller's own latency, which is told. Rates: 8000, 16000, 24000, 32000, 48000 Hz.
    """

  private let far: String
  private let near: String
  private let output: String
  private let settings: EchoSettings
  private let directory: URL?
  private let printsJSON: Bool

  static let rates = [8_000, 16_000, 24_000, 32_000, 48_000]

  init(_ arguments: Arguments) throws {
    far = try arguments.required("--far", "FILE")
    near = try arguments.required("--near", "FILE")
    output = try arguments.required("--out", "FILE")
    if far == "-", near == "-" { throw UsageError("only one of --far and --near can be standard input") }
    var settings = EchoSettings()
    settings.bulkDelayMilliseconds = try arguments.number("--delay-ms", in: 0...500) ?? 0
    settings.tailMilliseconds = try arguments.number("--tail-ms", in: 50...500) ?? 250
    if let engine = try arguments.choice("--engine", [("own", EchoSettings.Engine.own), ("speex", .speexDSP)]) {
      settings.engine = engine
    }
    self.settings = settings
    directory = arguments.text("--report").map { URL(fileURLWithPath: $0, isDirectory: true) }
    printsJSON = arguments.has("--json")
  }

  func run() throws { try convert().tell(as: Self.self, json: printsJSON, audioGoesTo: output) }

  /// Writes the output and says what came of it.
  func convert() throws -> EchoResult {
    let outputs = OutputFiles(inputs: [far, near])
    return try outputs.removingOnFailure { try convert(outputs) }
  }

  private func convert(_ outputs: OutputFiles) throws -> EchoResult {
    let pace = Pace()
    var farEnd = try AudioSource(path: far)
    var nearEnd = try AudioSource(path: near)
    let rate = nearEnd.sampleRate
    guard farEnd.sampleRate == rate else {
      throw CommandFailure(
        "the rates differ: \(far) has \(farEnd.sampleRate), \(near) has \(rate); resample one of them first")
    }
    guard Self.rates.contains(rate.hertz) else {
      throw CommandFailure(
        "\(near): the echo canceller works at \(Self.rates.map(String.init).joined(separator: ", ")) Hz, not \(rate)")
    }
    var canceller = try EchoCanceller(sampleRate: rate, settings: settings)
    if let directory { try outputs.makeFolder(directory) }
    var writer = try outputs.audio(output, format: .mono(rate))

    var record = EchoRecord(sampleRate: rate, keepsSignals: directory != nil)
    var farFrame = SampleBuffer(repeating: 0, count: canceller.frameSampleCount)
    var frame = SampleBuffer(repeating: 0, count: canceller.frameSampleCount)
    var progress = Progress("cancel-echo")
    while case let count = try nearEnd.next(into: &frame), count > 0 {
      // A far end that has ended is silent; the microphone decides the length.
      _ = try farEnd.fill(&farFrame)
      frame.fill(count..<frame.count, with: 0)
      record.noteInputs(far: farFrame, near: frame)
      Self.cancel(by: &canceller, farFrame, &frame)
      record.noteOutput(frame, metrics: canceller.metrics)
      try Self.write(frame, count, to: &writer)
      progress.update(done: record.seconds, total: nearEnd.seconds)
    }
    try writer.finish()
    progress.finish()

    let nonFiniteSamples = farEnd.nonFiniteSampleCount + nearEnd.nonFiniteSampleCount
    let result = EchoResult(
      far: far, near: near, output: output, frames: writer.framesWritten, record: record,
      latencySampleCount: canceller.latencySampleCount, metrics: canceller.metrics, nonFiniteSamples: nonFiniteSamples,
      settings: settings, pace: pace,
      warnings: farEnd.warnings + nearEnd.warnings + mixed(farEnd.fileFormat, far) + mixed(nearEnd.fileFormat, near))
    if let directory { try result.write(to: directory, record, outputs) }
    return result
  }

  private func mixed(_ format: AudioFormat, _ path: String) -> [String] {
    format.channelCount == 1
      ? [] : ["\(path): its \(format.channelCount) channels were mixed to their mean; the output is mono"]
  }

  private static func cancel(
    by canceller: inout EchoCanceller, _ far: borrowing SampleBuffer, _ frame: inout SampleBuffer
  ) {
    canceller.render(far.view)
    var samples = frame.mutableSpan
    canceller.capture(&samples)
  }

  private static func write(
    _ frame: borrowing SampleBuffer, _ count: Int, to writer: inout AudioFileWriter
  ) throws {
    try writer.write(frame.span.extracting(0..<count))
  }
}
