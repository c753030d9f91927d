import Antiphon
import Foundation

/// Any recording to Ogg Opus.
struct EncodeCommand: Command {
  static let name = "encode"
  static let summary = "encode a recording as Ogg Opus"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value(
        "--bitrate", "BITS", "bits per second, 6000 to 510000 a channel (default: the encoder's choice)"),
      ArgumentSyntax.value("--complexity", "N", "0 (fast) to 10 (best; default)"),
      ArgumentSyntax.value("--frame-ms", "MS", "2.5, 5, 10, 20, 40 or 60 (default: 20)"),
      ArgumentSyntax.flag("--vbr", "variable bitrate (default)"),
      ArgumentSyntax.flag("--cbr", "constant bitrate: every packet has the same size"),
      ArgumentSyntax.value("--title", "TEXT", "an entry TITLE in the comment header"),
      ArgumentSyntax.flag("--json", "print the result as JSON"),
    ], operands: ["IN", "OUT"])
  static let example = "antiphon encode --bitrate 24000 testdata/speech/mic.wav mic.opus"
  static let notes = "1 to 8 channels at any rate; the length is kept to the sample."

  struct Result: Outcome {
    var input: String
    var output: String
    var inputRate: Int
    var channels: Int
    var inputFrames: Int
    var seconds: Double
    /// Of all that was written, with its headers.
    var bytes: Int
    var bitsPerSecond: Double?
    var timesRealTime: Double
    var nonFiniteSamples: Int
    var warnings: [String]

    var summary: String {
      String(
        format: "%@: %d bytes, %.1f kbit/s with its headers, %d ch (%.3f s, %.0f times real time)", output, bytes,
        (bitsPerSecond ?? 0) / 1_000, channels, seconds, timesRealTime)
    }
  }

  private let input: String
  private let output: String
  private let settings: OggOpusSettings
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    input = try arguments.operand(0, "IN")
    output = try arguments.operand(1, "OUT")
    var settings = OggOpusSettings()
    settings.bitrate = try arguments.number("--bitrate", in: 6_000...4_080_000, meaning: "510000 a channel at most")
    settings.complexity = try arguments.number("--complexity", in: 0...10) ?? 10
    settings.packetDuration =
      try arguments.choice(
        "--frame-ms", [("2.5", 2_500), ("5", 5_000), ("10", 10_000), ("20", 20_000), ("40", 40_000), ("60", 60_000)])
      ?? 20_000
    if arguments.has("--vbr"), arguments.has("--cbr") { throw UsageError("--vbr and --cbr exclude each other") }
    settings.usesVariableBitrate = !arguments.has("--cbr")
    if let title = arguments.text("--title") { settings.comments = [.init(name: "TITLE", value: title)] }
    self.settings = settings
    printsJSON = arguments.has("--json")
  }

  func run() throws { try convert().tell(as: Self.self, json: printsJSON, audioGoesTo: output) }

  /// Writes the output and says what came of it.
  func convert() throws -> Result {
    let outputs = OutputFiles(inputs: [input])
    return try outputs.removingOnFailure { try convert(outputs) }
  }

  private func convert(_ outputs: OutputFiles) throws -> Result {
    let pace = Pace()
    var reader = try AudioFileReader(path: input)
    let format = reader.format
    let rate = Double(format.sampleRate.hertz)
    if let bitrate = settings.bitrate, bitrate > 510_000 * format.channelCount {
      throw UsageError(
        "--bitrate of \(bitrate) is more than 510000 for each of \(counted(format.channelCount, "channel"))")
    }
    if let other = ["wav", "flac", "mp3", "m4a", "aac", "aif", "aiff"].first(where: {
      output.lowercased().hasSuffix("." + $0)
    }) {
      throw UsageError("\(output): Ogg Opus is written here, not \(other); end the name in .opus")
    }
    var writer = try outputs.open(output) { try OggOpusWriter(path: $0, format: format, settings: settings) }
    var block = SampleBuffer(repeating: 0, count: 4_096 * format.channelCount)
    var progress = Progress("encode")
    let total = reader.frameCount.map { Double($0) / rate }
    while case let count = try block.fill(from: &reader), count > 0 {
      try Self.write(block, count * format.channelCount, to: &writer)
      progress.update(done: Double(reader.framesRead) / rate, total: total)
    }
    try writer.finish()
    progress.finish()

    let seconds = Double(reader.framesRead) / rate
    let bytes = Int(writer.bytesWritten)
    return Result(
      input: input, output: output, inputRate: format.sampleRate.hertz, channels: format.channelCount,
      inputFrames: reader.framesRead, seconds: seconds, bytes: bytes,
      bitsPerSecond: seconds > 0 ? 8 * Double(bytes) / seconds : nil,
      timesRealTime: pace.timesRealTime(seconds), nonFiniteSamples: reader.nonFiniteSampleCount,
      warnings: reader.warnings.messages(path: input))
  }

  private static func write(
    _ block: borrowing SampleBuffer, _ count: Int, to writer: inout OggOpusWriter
  ) throws {
    try writer.write(block.span.extracting(0..<count))
  }
}
