public import RealtimeCore

/// Reads an audio file or pipe from start to end as floats in -1...1, in constant memory.
///
/// WAV in all its dialects (8 to 64 bit, extensible, big endian, RF64, µ-law, ADPCM), FLAC, AIFF, AU, W64, CAF and Ogg,
/// through libsndfile. Its silent truncations are found and told in `warnings`; the audio decides, never a header field.
/// WAV, AU and FLAC stream from a pipe; other formats are copied to a temporary file first.
///
///     var reader = try AudioFileReader(path: "call.wav")
///     while case let count = try reader.readMono(into: &block), count > 0 { … }
///
/// - Threads: one at a time; blocks on the disk or pipe, so never the audio thread.
@safe  // the file and its decoder are reached by this value alone
public struct AudioFileReader: ~Copyable, @unchecked Sendable {
  /// Rate and channels of the file.
  public let format: AudioFormat
  /// Frames that the file holds, as far as that is known before reading: `nil` for a stream without a length. After the
  /// last read `framesRead` is the truth.
  public let frameCount: Int?
  /// Container and coding, such as "WAV, PCM 24 bit in containers of 32".
  public let encodingDescription: String
  /// How to write what was read without losing precision: floats as floats, more than 16 bits as 24, all else as 16.
  public let lossFreeEncoding: AudioFileWriter.Encoding
  /// What was found to be odd so far; complete once a read has returned 0.
  public private(set) var warnings: [AudioFileWarning] = []
  /// Frames read so far.
  public private(set) var framesRead = 0
  /// Samples so far that were not numbers or infinite; they are passed on as they are.
  public private(set) var nonFiniteSampleCount = 0

  private let decoder: SoundDecoder
  private var block: SampleBuffer
  private let claims: LengthClaims
  private let mayBeNonFinite: Bool
  private var isAtEnd = false

  /// Frames that are mixed down at once.
  private static let blockFrames = 4_096

  /// Opens `path` ("-" is standard input) and reads its header.
  public init(path: String) throws(AudioFileError) {
    let file = try FileBytes(path: path)
    let claims = try LengthClaims(of: file)
    let decoder = try SoundDecoder(file)
    file.stopRemembering()
    do {
      format = try AudioFormat(
        sampleRate: SampleRate(hertz: decoder.sampleRateHertz), channelCount: decoder.channelCount)
    } catch {
      throw .unsupportedFormat(path: path, error)
    }
    encodingDescription = SoundEncoding.description(of: decoder.formatCode, wav: claims.wavFormat)
    mayBeNonFinite = SoundEncoding.isFloatingPoint(decoder.formatCode)
    lossFreeEncoding = SoundEncoding.lossFreeEncoding(of: decoder.formatCode)
    frameCount = claims.frameCount(decoded: decoder.frameCount).map(Int.init(clamping:))
    block = SampleBuffer(repeating: 0, count: Self.blockFrames * decoder.channelCount)
    warnings = claims.warningsAtOpening(decodedFrames: decoder.frameCount)
    self.claims = claims
    self.decoder = decoder
  }

  /// Reads interleaved samples, as many whole frames as `target` has room for; traps when there is room for none.
  /// - Returns: the number of frames; fewer than fit only at the end, 0 from then on.
  public mutating func read(into target: inout MutableSpan<Float>) throws(AudioFileError) -> Int {
    let (room, channels) = (target.count, format.channelCount)
    precondition(room >= channels, "room for \(room) samples; a frame of this file has \(channels)")
    guard !isAtEnd else { return 0 }
    let frames = room / channels
    var whole = target.part(0..<frames * channels)
    let count = decoder.read(into: &whole)
    if mayBeNonFinite {
      for index in 0..<count * channels where !whole[index].isFinite { nonFiniteSampleCount += 1 }
    }
    try note(count, of: frames)
    return count
  }

  /// Reads samples of one channel; several channels are mixed to their mean.
  /// - Returns: the number of samples; fewer than `target` holds only at the end, 0 from then on.
  public mutating func readMono(into target: inout MutableSpan<Float>) throws(AudioFileError) -> Int {
    let (room, channels, decoder) = (target.count, format.channelCount, decoder)
    if channels == 1 { return room == 0 ? 0 : try read(into: &target) }
    var done = 0
    while done < room, !isAtEnd {
      let frames = min(Self.blockFrames, room - done)
      var interleaved = block.mutableSpan(0..<frames * channels)
      let count = decoder.read(into: &interleaved)
      for frame in 0..<count {
        var sum: Float = 0
        for channel in 0..<channels {
          let sample = block[frame * channels + channel]
          if !sample.isFinite { nonFiniteSampleCount += 1 }
          sum += sample
        }
        target[done + frame] = sum / Float(channels)
      }
      done += count
      try note(count, of: frames)
    }
    return done
  }

  /// All that is left, mixed to one channel. Memory: 4 bytes a sample of what the file really holds.
  public mutating func readRemainingMono() throws(AudioFileError) -> [Float] {
    var samples: [Float] = []
    var part = [Float](repeating: 0, count: 16_384)
    while true {
      var span = part.mutableSpan
      let count = try readMono(into: &span)
      if count == 0 { return samples }
      samples += part[..<count]
    }
  }

  /// Counts what was read; less than was asked for means the end.
  private mutating func note(_ count: Int, of wanted: Int) throws(AudioFileError) {
    framesRead += count
    if count < wanted { try finish() }
  }

  private mutating func finish() throws(AudioFileError) {
    isAtEnd = true
    let file = decoder.file
    if let failure = file.failure {
      throw .readFailed(path: file.path, byte: failure.byte, reason: systemMessage(failure.code))
    }
    let reason = decoder.failureText
    warnings += claims.warningsAtEnd(framesRead: Int64(framesRead), decoderFailure: reason)
    if nonFiniteSampleCount > 0 { warnings.append(.nonFiniteSamples(nonFiniteSampleCount)) }
  }
}
