internal import COpusEnc
public import RealtimeCore

/// How an Ogg Opus file is encoded.
public struct OggOpusSettings: Sendable, Hashable {
  /// Bits per second, 6,000 to 510,000 for each channel; `nil` lets the encoder choose by rate and channels.
  public var bitrate: Int?
  /// Effort, 0 (fast) to 10 (best).
  public var complexity = 10
  /// Length of a packet in microseconds: 2,500, 5,000, 10,000, 20,000, 40,000 or 60,000.
  public var packetDuration = 20_000
  /// Whether packets may differ in size; constant is for transports that need it.
  public var usesVariableBitrate = true
  /// Entries of the comment header; the names are ASCII without "=".
  public var comments: [Comment] = []
  /// Names the stream in the file; files that are to be chained need different ones. `nil`: a random one (RFC 3533 §4),
  /// with which no two files are the same.
  public var serialNumber: Int32?

  /// One entry of the comment header, such as TITLE.
  public struct Comment: Sendable, Hashable {
    /// ASCII without "=".
    public var name: String
    /// Any text.
    public var value: String

    /// An entry "name=value".
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// 20 ms packets of variable bitrate at full effort.
  public init() {}
}

/// Encodes floats in -1...1 to an Ogg Opus file (RFC 7845) or, for "-", to standard output.
///
/// Any input rate: libopusenc resamples to 48 kHz and keeps the length to the sample. The same input and settings give
/// the same bytes.
/// - Threads: one at a time; blocks on the disk or pipe, so never the audio thread.
@safe  // `encoder` is created in init, used only here, destroyed once in deinit
public struct OggOpusWriter: ~Copyable, @unchecked Sendable {
  /// Rate and channels of what is written.
  public let format: AudioFormat
  /// Frames written so far, at the input's rate.
  public private(set) var framesWritten: Int
  /// Samples so far that were not finite; silence was encoded for them.
  public private(set) var nonFiniteSampleCount: Int

  /// Bytes written so far, headers included; all of them once the file is finished.
  public var bytesWritten: Int64 { sink.length }

  private let encoder: OpaquePointer
  private let sink: ByteSink
  private var isFinished: Bool

  /// Creates the file, or empties it if there is one.
  public init(
    path: String, format: AudioFormat, settings: OggOpusSettings = OggOpusSettings()
  ) throws(AudioFileError) {
    let frameCode = try Self.check(settings, channelCount: format.channelCount)
    let sink = try ByteSink(path: path)
    let comments = unsafe ope_comments_create()
    defer { unsafe ope_comments_destroy(comments) }
    for comment in settings.comments { unsafe ope_comments_add(comments, comment.name, comment.value) }
    var code: Int32 = 0
    let family: Int32 = format.channelCount > 2 ? 1 : 0
    let created = unsafe ope_encoder_create_pull(
      comments, Int32(format.sampleRate.hertz), Int32(format.channelCount), family, &code)
    guard let encoder = unsafe created else { throw Self.error(path: path, code: code) }
    var answers = [
      unsafe antiphon_ope_set_complexity(encoder, Int32(settings.complexity)),
      unsafe antiphon_ope_set_frame_duration(encoder, frameCode),
      unsafe antiphon_ope_set_variable_bitrate(encoder, settings.usesVariableBitrate ? 1 : 0),
      unsafe antiphon_ope_set_serial_number(encoder, settings.serialNumber ?? .random(in: 0 ... .max)),
    ]
    if let bitrate = settings.bitrate { answers.append(unsafe antiphon_ope_set_bitrate(encoder, Int32(bitrate))) }
    if let failed = answers.first(where: { $0 != OPE_OK }) {
      unsafe ope_encoder_destroy(encoder)
      throw Self.error(path: path, code: failed)
    }
    unsafe self.encoder = encoder
    self.sink = sink
    self.format = format
    framesWritten = 0
    nonFiniteSampleCount = 0
    isFinished = false
  }

  deinit {
    if !isFinished {
      unsafe Self.drain(encoder, isEmpty: framesWritten == 0, channelCount: format.channelCount)
      try? unsafe Self.movePages(from: encoder, to: sink, all: true)
    }
    unsafe ope_encoder_destroy(encoder)
  }

  /// Encodes interleaved samples; traps unless there are whole frames of them.
  public mutating func write(_ samples: Span<Float>) throws(AudioFileError) {
    let count = samples.count
    precondition(count % format.channelCount == 0, "\(count) samples are not whole frames of \(format.channelCount)")
    precondition(!isFinished, "the file is finished; open another writer")
    guard count > 0 else { return }
    var clean: [Float] = []
    clean.reserveCapacity(count)
    for index in 0..<count {
      // One infinity would stay in the encoder's filters for good.
      if !samples[index].isFinite { nonFiniteSampleCount += 1 }
      clean.append(samples[index].isFinite ? samples[index] : 0)
    }
    let encoder = unsafe encoder
    let frames = Int32(clamping: count / format.channelCount)
    let code = unsafe clean.withUnsafeBufferPointer { unsafe ope_encoder_write_float(encoder, $0.baseAddress, frames) }
    guard code == OPE_OK else { throw Self.error(path: sink.path, code: code) }
    try unsafe Self.movePages(from: encoder, to: sink, all: false)
    framesWritten += count / format.channelCount
  }

  /// Appends the samples of an array; see `write(_:)` for spans.
  public mutating func write(_ samples: [Float]) throws(AudioFileError) { try write(samples.span) }

  /// Encodes what is still held back and closes the file. Calling it again does nothing.
  public mutating func finish() throws(AudioFileError) {
    guard !isFinished else { return }
    isFinished = true
    let code = unsafe Self.drain(encoder, isEmpty: framesWritten == 0, channelCount: format.channelCount)
    guard code == OPE_OK else { throw Self.error(path: sink.path, code: code) }
    try unsafe Self.movePages(from: encoder, to: sink, all: true)
    try sink.finish()
  }

  /// libopusenc 0.2.1 reads memory that it has not written when it is drained without a sample, and now and then aborts the
  /// process: an empty file gets one sample of silence.
  @discardableResult
  private static func drain(_ encoder: OpaquePointer, isEmpty: Bool, channelCount: Int) -> Int32 {
    if isEmpty {
      let silence = [Float](repeating: 0, count: channelCount)
      unsafe silence.withUnsafeBufferPointer { _ = unsafe ope_encoder_write_float(encoder, $0.baseAddress, 1) }
    }
    return unsafe ope_encoder_drain(encoder)
  }

  private static func movePages(from encoder: OpaquePointer, to sink: ByteSink, all: Bool) throws(AudioFileError) {
    var page: UnsafeMutablePointer<UInt8>?
    var length: opus_int32 = 0
    while unsafe ope_encoder_get_page(encoder, &page, &length, all ? 1 : 0) == 1, let start = unsafe page {
      try sink.append(unsafe [UInt8](UnsafeBufferPointer(start: start, count: Int(length))))
    }
    if !sink.isSeekable { try sink.flush() }
  }

  /// Checks the settings; returns Opus' code for the packet duration.
  private static func check(_ settings: OggOpusSettings, channelCount: Int) throws(AudioFileError) -> Int32 {
    if let bitrate = settings.bitrate, !(6_000...510_000 * channelCount).contains(bitrate) {
      throw .invalidSetting(
        "\(bitrate) bit/s is outside 6000 to \(510_000 * channelCount) for \(channelCount) channels")
    }
    guard (0...10).contains(settings.complexity) else {
      throw .invalidSetting("complexity \(settings.complexity) is outside 0 to 10")
    }
    for comment in settings.comments
    where comment.name.isEmpty || comment.name.utf8.contains(where: { $0 < 0x20 || $0 > 0x7D || $0 == 0x3D }) {
      throw .invalidSetting("comment name \"\(comment.name)\" must be ASCII without \"=\", such as TITLE")
    }
    let codes: [Int: Int32] = [
      2_500: OPUS_FRAMESIZE_2_5_MS, 5_000: OPUS_FRAMESIZE_5_MS, 10_000: OPUS_FRAMESIZE_10_MS,
      20_000: OPUS_FRAMESIZE_20_MS, 40_000: OPUS_FRAMESIZE_40_MS, 60_000: OPUS_FRAMESIZE_60_MS,
    ]
    guard let code = codes[settings.packetDuration] else {
      throw .invalidSetting(
        "packet duration \(settings.packetDuration) µs is none of 2500, 5000, 10000, 20000, 40000, 60000")
    }
    return code
  }

  private static func error(path: String, code: Int32) -> AudioFileError {
    .unsupported(path: path, what: "Opus cannot encode this: \(unsafe String(cString: ope_strerror(code)))")
  }
}
