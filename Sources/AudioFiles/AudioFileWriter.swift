public import RealtimeCore
internal import SignalProcessing

/// Writes floats in -1...1 to a WAV or FLAC file, or as a WAV stream to standard output.
///
///     var writer = try AudioFileWriter(path: "out.wav", format: .mono(.hz48000))
///     try writer.write(block.span)
///     try writer.finish()
///
/// The name decides the container: ".flac" is FLAC, everything else WAV. Beyond 4 GiB a WAV file becomes RF64. `finish`
/// tells whether all of it reached the disk; without it the file is closed at the end of the writer's life, complete as
/// far as that works, and errors are lost. A program that writes to a pipe ignores SIGPIPE to see its end as an error.
/// - Threads: one at a time; blocks on the disk or pipe, so never the audio thread.
@safe  // the file is reached by this value alone
public struct AudioFileWriter: ~Copyable, @unchecked Sendable {
  /// How samples are stored.
  public enum Encoding: Sendable, Hashable, CaseIterable {
    /// 16-bit whole numbers.
    case pcm16
    /// 24-bit whole numbers.
    case pcm24
    /// 32-bit floats: exact, and free to go beyond 1. Not in FLAC.
    case float32
  }

  /// Rate and channels of what is written.
  public let format: AudioFormat
  /// How samples are stored.
  public let encoding: Encoding
  /// Frames written so far.
  public private(set) var framesWritten: Int
  /// Samples so far that exceeded full scale and were held there; always 0 for `.float32`.
  public var clippedSampleCount: Int { quantizer.clippedCount }

  private var quantizer: SampleQuantizer
  private let header: WAVHeader
  private let sink: ByteSink?
  private let flac: FLACEncoder?
  private var isFinished: Bool

  /// Creates the file, or empties it if there is one; "-" is standard output.
  /// - Parameter dither: adds triangular noise of one step before rounding, for `.pcm16` music; speech needs none.
  public init(
    path: String, format: AudioFormat, encoding: Encoding = .pcm16, dither: Bool = false
  ) throws(AudioFileError) {
    let isFLAC = path.lowercased().hasSuffix(".flac")
    if isFLAC, encoding == .float32 {
      throw .invalidSetting("\(path): FLAC holds no floats; choose pcm24, or a name that ends in .wav")
    }
    let bits = encoding == .pcm16 ? 16 : encoding == .pcm24 ? 24 : 32
    let header = WAVHeader(
      sampleRate: format.sampleRate.hertz, channelCount: format.channelCount, bytesPerSample: bits / 8,
      isFloat: encoding == .float32)
    let sink = isFLAC ? nil : try Self.begin(path: path, header: header)
    let flac = try Self.flacEncoder(path: isFLAC ? path : nil, format: format, bits: bits)
    self.format = format
    self.encoding = encoding
    self.header = header
    self.sink = sink
    self.flac = flac
    quantizer = SampleQuantizer(bits: min(bits, 24), dithers: dither)
    framesWritten = 0
    isFinished = false
  }

  deinit {
    if !isFinished, let sink { try? Self.complete(sink, header: header) }
  }

  /// Appends interleaved samples; traps unless there are whole frames of them.
  public mutating func write(_ samples: Span<Float>) throws(AudioFileError) {
    let count = samples.count
    precondition(count % format.channelCount == 0, "\(count) samples are not whole frames of \(format.channelCount)")
    precondition(!isFinished, "the file is finished; open another writer")
    if flac != nil {
      let shift = encoding == .pcm16 ? 16 : 8
      var whole: [Int32] = []
      whole.reserveCapacity(count)
      for index in 0..<count { whole.append(quantizer.quantize(samples[index]) << shift) }
      try flac?.write(whole, channelCount: format.channelCount)
    } else if let sink {
      let bytes = encodedQuickly(samples) ?? encoded(samples)
      try sink.append(bytes)
      if !sink.isSeekable { try sink.flush() }
    }
    framesWritten += count / format.channelCount
  }

  /// Appends the samples of an array; see `write(_:)` for spans.
  public mutating func write(_ samples: [Float]) throws(AudioFileError) { try write(samples.span) }

  /// Completes the header and closes the file. Calling it again does nothing.
  public mutating func finish() throws(AudioFileError) {
    guard !isFinished else { return }
    isFinished = true
    if let sink { try Self.complete(sink, header: header) }
    try flac?.finish()
  }

  /// The same as `encoded` for 16 bits, where no sample needs to be held, counted or dithered: nearly always.
  private func encodedQuickly(_ samples: Span<Float>) -> [UInt8]? {
    guard encoding == .pcm16, !quantizer.dithers, UInt16(littleEndian: 1) == 1 else { return nil }
    let view = SampleView(samples)
    // NaN hides from the peak, not from the energy.
    guard Kernel.peak(view) <= 32_767 / 32_768, Kernel.energy(view).isFinite else { return nil }
    var whole = [Int16](repeating: 0, count: samples.count)
    var target = whole.mutableSpan
    Kernel.convert(view, into: &target)
    return unsafe whole.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// The samples as they are stored, little endian.
  private mutating func encoded(_ samples: Span<Float>) -> [UInt8] {
    let (isFloat, width) = (encoding == .float32, header.bytesPerSample)
    var quantizer = self.quantizer
    var bytes = [UInt8](repeating: 0, count: samples.count * width)
    var place = 0
    for index in 0..<samples.count {
      let bits = isFloat ? samples[index].bitPattern : UInt32(bitPattern: quantizer.quantize(samples[index]))
      bytes[place] = UInt8(truncatingIfNeeded: bits)
      bytes[place + 1] = UInt8(truncatingIfNeeded: bits >> 8)
      if width > 2 { bytes[place + 2] = UInt8(truncatingIfNeeded: bits >> 16) }
      if width > 3 { bytes[place + 3] = UInt8(truncatingIfNeeded: bits >> 24) }
      place += width
    }
    self.quantizer = quantizer
    return bytes
  }

  private static func begin(path: String, header: WAVHeader) throws(AudioFileError) -> ByteSink {
    let sink = try ByteSink(path: path)
    try sink.append(header.bytes(dataBytes: 0, toPipe: !sink.isSeekable))
    // A pipe's reader learns the format before there is any sound.
    if !sink.isSeekable { try sink.flush() }
    return sink
  }

  private static func flacEncoder(path: String?, format: AudioFormat, bits: Int) throws(AudioFileError) -> FLACEncoder?
  {
    guard let path else { return nil }
    return try FLACEncoder(
      path: path, sampleRate: format.sampleRate.hertz, channelCount: format.channelCount, bits: bits)
  }

  private static func complete(_ sink: ByteSink, header: WAVHeader) throws(AudioFileError) {
    let dataBytes = sink.length - Int64(header.bytes(dataBytes: 0, toPipe: !sink.isSeekable).count)
    if dataBytes % 2 == 1 { try sink.append([0]) }
    if sink.isSeekable { try sink.overwrite(at: 0, with: header.bytes(dataBytes: dataBytes, toPipe: false)) }
    try sink.finish()
  }
}
