import Antiphon
import Foundation

/// Ogg Opus to a WAV or FLAC file.
struct DecodeCommand: Command {
  static let name = "decode"
  static let summary = "decode an Ogg Opus file"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value("--rate", "HERTZ", "the output's rate, 8000 to 192000 (default: 48000, Opus' own)"),
      ArgumentSyntax.value("--encoding", "NAME", "pcm16, pcm24 or float32 (default: pcm16)"),
      ArgumentSyntax.flag("--json", "print the result as JSON"),
    ], operands: ["IN", "OUT"])
  static let example =
    "antiphon encode testdata/speech/mic.wav mic.opus && antiphon decode --rate 16000 mic.opus mic.wav"
  static let notes =
    "The output is mono, trimmed to the sample as the file tells. Missing pages are told and passed over."

  struct Result: Outcome {
    var input: String
    var output: String
    var encodedChannels: Int
    var outputRate: Int
    var outputFrames: Int
    var seconds: Double
    var timesRealTime: Double
    var clippedSamples: Int
    var missingPages: Int
    var damagedPages: Int
    var warnings: [String]

    var summary: String {
      String(
        format: "%@: %d frames at %d Hz (%.3f s, %.0f times real time)", output, outputFrames, outputRate, seconds,
        timesRealTime)
    }
  }

  private let input: String
  private let output: String
  private let rate: SampleRate
  private let encoding: AudioFileWriter.Encoding
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    input = try arguments.operand(0, "IN")
    output = try arguments.operand(1, "OUT")
    rate = try arguments.sampleRate("--rate") ?? .hz48000
    encoding = try arguments.encoding("--encoding") ?? .pcm16
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
    var reader = try OggOpusReader(path: input)
    var resampler = try MultichannelResampler(
      from: reader.format, to: rate, quality: .high, blockFrameCount: Self.blockFrames)
    var writer = try outputs.audio(output, format: .mono(rate), encoding: encoding)
    var block = SampleBuffer(repeating: 0, count: Self.blockFrames)
    var progress = Progress("decode")
    while case let count = try Self.fill(&block, from: &reader), count > 0 {
      try resampler.process(block, frameCount: count) { try writer.write($0) }
      progress.update(
        done: Double(reader.framesRead) / Self.opusRate, total: reader.frameCount.map { Double($0) / Self.opusRate })
    }
    try resampler.drain { try writer.write($0) }
    try writer.finish()
    progress.finish()

    let seconds = Double(reader.framesRead) / Self.opusRate
    var warnings = reader.warnings.messages(path: input)
    if reader.framesRead == 0 { warnings.append("\(input): there is no sound in it") }
    return Result(
      input: input, output: output, encodedChannels: reader.encodedChannelCount, outputRate: rate.hertz,
      outputFrames: writer.framesWritten, seconds: seconds, timesRealTime: pace.timesRealTime(seconds),
      clippedSamples: writer.clippedSampleCount, missingPages: reader.holeCount, damagedPages: reader.damagedPageCount,
      warnings: warnings)
  }

  private static let blockFrames = 4_800
  private static let opusRate = 48_000.0

  private static func fill(_ block: inout SampleBuffer, from reader: inout OggOpusReader) throws -> Int {
    var samples = block.mutableSpan
    return try reader.read(into: &samples)
  }
}
