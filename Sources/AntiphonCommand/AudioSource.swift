import Antiphon

/// A recording as mono samples at a wanted rate, block by block, whatever the file is.
struct AudioSource: ~Copyable {
  private var reader: AudioFileReader
  private var resampler: Resampler
  private var read: SampleBuffer
  private var readStart = 0
  private var readEnd = 0
  private var isDrained = false
  private let path: String

  /// Opens `path` ("-" is standard input); `sampleRate` is the file's own where it is `nil`.
  init(path: String, sampleRate: SampleRate? = nil, quality: Resampler.Quality = .high) throws {
    self.path = path
    let reader = try AudioFileReader(path: path)
    try reader.format.sampleRate.checkProcessable(path: path)
    resampler = try Resampler(
      from: reader.format.sampleRate, to: sampleRate ?? reader.format.sampleRate, quality: quality, skipsLatency: true)
    self.reader = consume reader
    read = SampleBuffer(repeating: 0, count: 4_096)
  }

  /// The rate of the samples that come out.
  var sampleRate: SampleRate { resampler.outputRate }
  /// The file's own format.
  var fileFormat: AudioFormat { reader.format }
  /// Seconds of sound, where the file tells.
  var seconds: Double? { reader.frameCount.map { Double($0) / Double(reader.format.sampleRate.hertz) } }
  /// Samples that were no numbers and count as 0.
  var nonFiniteSampleCount: Int { reader.nonFiniteSampleCount }

  /// Fills `block` from its front; returns how many samples there were, fewer than fit only at the end.
  mutating func next(into block: inout MutableSpan<Float>) throws -> Int {
    let wanted = block.count
    var made = 0
    while made < wanted {
      if readStart == readEnd && !isDrained {
        readStart = 0
        readEnd = try Self.fill(&read, from: &reader)
        isDrained = readEnd == 0
      }
      var rest = block.part(made..<wanted)
      if isDrained {
        let tail = resampler.drain(into: &rest)
        made += tail
        if tail == 0 { break }
      } else {
        let progress = Self.resample(read, readStart..<readEnd, by: &resampler, into: &rest)
        readStart += progress.consumed
        made += progress.produced
      }
    }
    return made
  }

  /// Fills `block`; where the recording has ended, with silence. Returns `false` when all of it is silence.
  mutating func fill(_ block: inout SampleBuffer) throws -> Bool {
    let count = try Self.next(of: &self, into: &block)
    block.fill(count..<block.count, with: 0)
    return count > 0
  }

  /// What was odd about the file, told once it has been read; each as a line for standard error.
  var warnings: [String] { reader.warnings.messages(path: path) }

  private static func next(of source: inout AudioSource, into block: inout SampleBuffer) throws -> Int {
    var samples = block.mutableSpan
    return try source.next(into: &samples)
  }

  private static func fill(_ buffer: inout SampleBuffer, from reader: inout AudioFileReader) throws -> Int {
    var samples = buffer.mutableSpan
    return try reader.readMono(into: &samples)
  }

  private static func resample(
    _ buffer: borrowing SampleBuffer, _ range: Range<Int>, by resampler: inout Resampler,
    into target: inout MutableSpan<Float>
  ) -> Resampler.Progress {
    resampler.process(buffer.view(range), into: &target)
  }
}

extension [AudioFileWarning] {
  /// Each as a line for standard error.
  func messages(path: String) -> [String] {
    map { warning in
      if case .nonFiniteSamples = warning { return "\(path): \(warning); they count as silence" }
      return "\(path): \(warning)"
    }
  }
}
