import Antiphon

// Options that several commands understand, with one meaning.
extension ArgumentSyntax {
  static let captureDevice = value("--capture", "ID", "the microphone (default: the server's default)")
  static let playbackDevice = value("--playback", "ID", "the loudspeaker (default: the server's default)")
}

extension Arguments {
  /// A sample rate that the resampler takes.
  func sampleRate(_ name: String) throws -> SampleRate? {
    guard let hertz = try number(name, in: 8_000...192_000) else { return nil }
    return try SampleRate(hertz: hertz)
  }

  func quality(_ name: String) throws(UsageError) -> Resampler.Quality? {
    try choice(name, [("low", Resampler.Quality.low), ("medium", .medium), ("high", .high)])
  }

  func encoding(_ name: String) throws(UsageError) -> AudioFileWriter.Encoding? {
    try choice(name, [("pcm16", AudioFileWriter.Encoding.pcm16), ("pcm24", .pcm24), ("float32", .float32)])
  }
}

extension SampleRate {
  /// Refuses a file whose rate no stage can work at.
  func checkProcessable(path: String) throws {
    guard (8_000...192_000).contains(hertz) else {
      throw CommandFailure("\(path): its rate of \(hertz) Hz is outside 8000 to 192000 Hz; record or convert it anew")
    }
  }
}

extension AudioFileWriter.Encoding {
  /// The word on the command line.
  var word: String {
    switch self {
    case .pcm16: "pcm16"
    case .pcm24: "pcm24"
    case .float32: "float32"
    }
  }
}

extension SampleBuffer {
  /// Reads interleaved frames to the front; returns how many.
  mutating func fill(from reader: inout AudioFileReader) throws -> Int {
    var samples = mutableSpan
    return try reader.read(into: &samples)
  }
}

/// "1 sample", "2 samples".
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
