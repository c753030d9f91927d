import Antiphon
import Foundation

/// An audio file, read to its end.
struct AudioDescription: FileDescription {
  var file: String
  var kind = "audio"
  /// Container and coding.
  var encoding: String
  var channels: Int
  var rate: Int
  var frames: Int
  var seconds: Double
  /// Largest magnitude of any channel; 1 is full scale.
  var peak: Double
  /// Root mean square over all channels.
  var rms: Double
  var peakDecibels: Double?
  var rmsDecibels: Double?
  var nonFiniteSamples: Int
  /// Of the recording before it was encoded, where the file tells.
  var originalRate: Int?
  var comments: [String]?
  var warnings: [String]
  var fault: String? { nil }

  /// Any file that libsndfile reads.
  init(audio path: String, name: String) throws {
    var reader = try AudioFileReader(path: path)
    let format = reader.format
    var level = LevelOfFile()
    var block = SampleBuffer(repeating: 0, count: 4_096 * format.channelCount)
    var progress = Progress("info")
    let rate = Double(format.sampleRate.hertz)
    let total = reader.frameCount.map { Double($0) / rate }
    while case let count = try block.fill(from: &reader), count > 0 {
      level.add(block, count: count * format.channelCount)
      progress.update(done: Double(reader.framesRead) / rate, total: total)
    }
    progress.finish()
    self.init(
      name, encoding: reader.encodingDescription, format, channels: format.channelCount, frames: reader.framesRead,
      level, warnings: reader.warnings)
  }

  /// An Ogg Opus file, as it decodes to mono.
  init(opus path: String, name: String) throws {
    var reader = try OggOpusReader(path: path)
    var level = LevelOfFile()
    var block = SampleBuffer(repeating: 0, count: 4_800)
    var progress = Progress("info")
    while case let count = try Self.fill(&block, from: &reader), count > 0 {
      level.add(block, count: count)
      progress.update(done: Double(reader.framesRead) / 48_000, total: reader.frameCount.map { Double($0) / 48_000 })
    }
    progress.finish()
    self.init(
      name, encoding: "Ogg, Opus", reader.format, channels: reader.encodedChannelCount, frames: reader.framesRead,
      level, warnings: reader.warnings)
    originalRate = reader.originalSampleRateHertz
    comments = reader.comments
  }

  private init(
    _ name: String, encoding: String, _ format: AudioFormat, channels: Int, frames: Int, _ level: LevelOfFile,
    warnings: [AudioFileWarning]
  ) {
    file = name
    self.encoding = encoding
    self.channels = channels
    self.frames = frames
    rate = format.sampleRate.hertz
    seconds = Double(frames) / Double(rate)
    peak = Double(level.peak)
    rms = level.rms
    peakDecibels = level.peak > 0 ? 20 * log10(Double(level.peak)) : nil
    rmsDecibels = level.rms > 0 ? 20 * log10(level.rms) : nil
    nonFiniteSamples = level.nonFiniteCount
    self.warnings = warnings.map(\.description)
  }

  var text: String {
    func decibels(_ value: Double?) -> String { value.map { String(format: "%.1f dBFS", $0) } ?? "silent" }
    var lines = [
      "\(file)",
      "  format      \(encoding)",
      "  channels    \(channels)",
      "  rate        \(rate) Hz" + (originalRate.map { $0 == rate ? "" : " (recorded at \($0) Hz)" } ?? ""),
      String(format: "  duration    %.3f s (%d frames)", seconds, frames),
      "  peak        \(decibels(peakDecibels))",
      "  RMS         \(decibels(rmsDecibels))",
    ]
    for comment in comments ?? [] { lines.append("  comment     \(comment)") }
    return lines.joined(separator: "\n")
  }

  private static func fill(_ block: inout SampleBuffer, from reader: inout OggOpusReader) throws -> Int {
    var samples = block.mutableSpan
    return try reader.read(into: &samples)
  }
}

/// Peak and RMS of all samples of a file; samples that are no numbers count as silence.
private struct LevelOfFile {
  private(set) var peak: Float = 0
  private(set) var nonFiniteCount = 0
  private var energy = 0.0
  private var sampleCount = 0

  var rms: Double { sampleCount > 0 ? (energy / Double(sampleCount)).squareRoot() : 0 }

  mutating func add(_ block: borrowing SampleBuffer, count: Int) {
    sampleCount += count
    for index in 0..<count {
      let sample = block[index]
      guard sample.isFinite else {
        nonFiniteCount += 1
        continue
      }
      peak = max(peak, sample.magnitude)
      energy += Double(sample) * Double(sample)
    }
  }
}
