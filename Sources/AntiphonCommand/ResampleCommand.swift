import Antiphon
import Foundation

/// A recording at another rate.
struct ResampleCommand: Command {
  static let name = "resample"
  static let summary = "change the sample rate of a recording"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value("--rate", "HERTZ", "the output's rate, 8000 to 192000 (default: 48000)"),
      ArgumentSyntax.value("--quality", "LEVEL", "low, medium or high: sharper costs time (default: high)"),
      ArgumentSyntax.value("--engine", "NAME", "polyphase, or speex to compare with SpeexDSP (default: polyphase)"),
      ArgumentSyntax.value("--encoding", "NAME", "pcm16, pcm24 or float32 (default: as precise as the input)"),
      ArgumentSyntax.flag("--json", "print the result as JSON"),
    ], operands: ["IN", "OUT"])
  static let example = "antiphon resample --rate 8000 testdata/speech/mic.wav mic-8k.wav"
  static let notes = """
    The output is aligned with the input in time and has ceil(frames x to / from) frames; 1 to 8 channels. Its name
    decides the container: .flac is FLAC, everything else WAV.
    """

  struct Result: Outcome {
    var input: String
    var output: String
    var inputRate: Int
    var outputRate: Int
    var channels: Int
    var encoding: String
    var inputFrames: Int
    var outputFrames: Int
    var seconds: Double
    var timesRealTime: Double
    var clippedSamples: Int
    var nonFiniteSamples: Int
    var warnings: [String]

    var summary: String {
      String(
        format: "%@: %d frames at %d Hz, %d ch, %@ (%.3f s, %.0f times real time)", output, outputFrames, outputRate,
        channels, encoding, seconds, timesRealTime)
    }
  }

  private let input: String
  private let output: String
  private let rate: SampleRate
  private let quality: Resampler.Quality
  private let engine: Resampler.Engine
  private let encoding: AudioFileWriter.Encoding?
  private let printsJSON: Bool

  private static let blockFrames = 4_096

  init(_ arguments: Arguments) throws {
    input = try arguments.operand(0, "IN")
    output = try arguments.operand(1, "OUT")
    rate = try arguments.sampleRate("--rate") ?? .hz48000
    quality = try arguments.quality("--quality") ?? .high
    engine = try arguments.choice("--engine", [("polyphase", .polyphase), ("speex", .speexDSP)]) ?? .polyphase
    encoding = try arguments.encoding("--encoding")
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
    try format.sampleRate.checkProcessable(path: input)
    var resampler = try MultichannelResampler(
      from: format, to: rate, quality: quality, engine: engine, blockFrameCount: Self.blockFrames)
    let encoding = chosenEncoding(reader.lossFreeEncoding)
    let outputFormat = try AudioFormat(sampleRate: rate, channelCount: format.channelCount)
    var writer = try outputs.audio(output, format: outputFormat, encoding: encoding)

    var block = SampleBuffer(repeating: 0, count: Self.blockFrames * format.channelCount)
    var progress = Progress("resample")
    let total = reader.frameCount.map { Double($0) / Double(format.sampleRate.hertz) }
    while case let count = try block.fill(from: &reader), count > 0 {
      try resampler.process(block, frameCount: count) { try writer.write($0) }
      progress.update(done: Double(reader.framesRead) / Double(format.sampleRate.hertz), total: total)
    }
    try resampler.drain { try writer.write($0) }
    try writer.finish()
    progress.finish()

    let seconds = Double(reader.framesRead) / Double(format.sampleRate.hertz)
    var warnings = reader.warnings.messages(path: input)
    if writer.clippedSampleCount > 0 {
      warnings.append("\(output): \(counted(writer.clippedSampleCount, "sample")) beyond full scale were held there")
    }
    return Result(
      input: input, output: output, inputRate: format.sampleRate.hertz, outputRate: rate.hertz,
      channels: format.channelCount, encoding: encoding.word, inputFrames: reader.framesRead,
      outputFrames: writer.framesWritten, seconds: seconds, timesRealTime: pace.timesRealTime(seconds),
      clippedSamples: writer.clippedSampleCount, nonFiniteSamples: reader.nonFiniteSampleCount, warnings: warnings)
  }

  /// FLAC holds no floats; 24 bits are the most of a float's precision.
  private func chosenEncoding(_ lossFree: AudioFileWriter.Encoding) -> AudioFileWriter.Encoding {
    if let encoding { return encoding }
    return lossFree == .float32 && output.lowercased().hasSuffix(".flac") ? .pcm24 : lossFree
  }
}
