internal import COpusFile
internal import Foundation
public import RealtimeCore

/// Decodes an Ogg Opus file or pipe (RFC 7845) to 48 kHz mono from start to end, in constant memory.
///
/// The pre-skip is cut off, the header's gain applied, the end trimmed to the sample, and chained streams follow each
/// other. Several channels are mixed to their mean.
/// - Threads: one at a time; blocks on the disk or pipe, so never the audio thread.
@safe  // `handle` is opened in init, used only here, freed once in deinit; `file` outlives it as a stored property
public struct OggOpusReader: ~Copyable, @unchecked Sendable {
  /// 48 kHz mono, whatever was encoded.
  public var format: AudioFormat { .mono(.hz48000) }
  /// Samples of the whole file, all chained streams together; `nil` for a pipe.
  public let frameCount: Int?
  /// Channels of the first stream as encoded.
  public let encodedChannelCount: Int
  /// The rate of the recording before it was encoded, as the header tells it; `nil` when it does not.
  public let originalSampleRateHertz: Int?
  /// "NAME=value" entries of the first stream.
  public let comments: [String]
  /// Samples read so far.
  public private(set) var framesRead = 0
  /// Places so far where pages were missing or damaged; decoding went on behind them.
  public private(set) var holeCount = 0
  /// Pages whose checksum is wrong; of a file known once a read has returned 0, of a pipe always 0.
  public private(set) var damagedPageCount = 0
  /// What was found to be odd so far; complete once a read has returned 0.
  public private(set) var warnings: [AudioFileWarning] = []

  private let file: FileBytes
  private let handle: OpaquePointer
  private let packetDecoder: OggOpusPacketDecoder
  private var block: SampleBuffer
  private var blockChannelCount = 1
  private var ready = 0..<0
  private var isAtEnd = false

  /// 120 ms at 48 kHz: the longest packet there is (RFC 6716 §3.2.5).
  private static let blockFrames = 5_760
  /// The most that mapping families 0 and 1 know (RFC 7845 §5.1.1), and libopusfile no others.
  private static let channelLimit = 8

  /// Opens `path` ("-" is standard input) and reads the headers of all its streams, of a pipe those of the first.
  public init(path: String) throws(AudioFileError) {
    let file = try FileBytes(path: path)
    file.keptTailByteCount = OggStreamEnd.tailByteCount
    file.stopRemembering()
    var calls = unsafe OpusFileCallbacks(
      read: { user, target, count in
        let file = unsafe opusFileBytes(user)
        let got = unsafe file.read(
          at: file.position, into: UnsafeMutableRawBufferPointer(start: target, count: Int(max(0, count))))
        file.position += Int64(got)
        return file.failure == nil ? Int32(got) : -1
      },
      seek: { user, offset, origin in
        let file = unsafe opusFileBytes(user)
        let base = origin == SEEK_CUR ? file.position : origin == SEEK_END ? file.length ?? 0 : 0
        let (target, overflow) = base.addingReportingOverflow(Int64(offset))
        if overflow || target < 0 { return -1 }
        file.position = target
        return 0
      },
      tell: { unsafe opusFileBytes($0).position },
      close: nil)
    if file.length == nil { unsafe calls.seek = nil }
    var code: Int32 = 0
    let user = unsafe Unmanaged.passUnretained(file).toOpaque()
    guard let handle = unsafe op_open_callbacks(user, &calls, nil, 0, &code) else {
      throw Self.openError(file, code: code)
    }
    let head = unsafe op_head(handle, 0).pointee
    let total = unsafe op_pcm_total(handle, -1)
    frameCount = total >= 0 ? Int(total) : nil
    encodedChannelCount = Int(head.channel_count)
    originalSampleRateHertz = head.input_sample_rate == 0 ? nil : Int(head.input_sample_rate)
    comments = unsafe Self.comments(of: handle)
    self.file = file
    unsafe self.handle = handle
    packetDecoder = unsafe OggOpusPacketDecoder(file: handle)
    block = SampleBuffer(repeating: 0, count: Self.channelLimit * Self.blockFrames)
    warnings = OggStreamEnd.warnings(of: file)
  }

  deinit { unsafe op_free(handle) }

  /// Decodes into `target`. - Returns: the number of samples; fewer than `target` holds only at the end, then 0.
  public mutating func read(into target: inout MutableSpan<Float>) throws(AudioFileError) -> Int {
    var done = 0
    while done < target.count {
      if ready.isEmpty {
        if isAtEnd { break }
        try decodeBlock()
        continue
      }
      let (first, count) = (ready.lowerBound, min(ready.count, target.count - done))
      for frame in 0..<count {
        target[done + frame] = mean(ofFrame: first + frame)
      }
      ready = first + count..<ready.upperBound
      done += count
    }
    framesRead += done
    return done
  }

  /// All that is left. Memory: 4 bytes a sample of what the file really holds.
  public mutating func readRemaining() throws(AudioFileError) -> [Float] {
    var samples: [Float] = []
    var part = [Float](repeating: 0, count: 16_384)
    while true {
      var span = part.mutableSpan
      let count = try read(into: &span)
      if count == 0 { return samples }
      samples += part[..<count]
    }
  }

  private mutating func decodeBlock() throws(AudioFileError) {
    var link: Int32 = 0
    let count = unsafe op_read_float(handle, block.mutablePointer, Int32(block.count), &link)
    if count > 0 {
      blockChannelCount = unsafe Int(op_channel_count(handle, link))
      ready = 0..<Int(count)
    } else if count == OP_HOLE {
      holeCount += 1
    } else {
      isAtEnd = true
      if let failure = file.failure {
        throw .readFailed(path: file.path, byte: failure.byte, reason: systemMessage(failure.code))
      }
      if count < 0 {
        warnings.append(.decodingStopped(atFrame: Int64(framesRead), reason: Self.words(for: count)))
      }
      if file.length == nil, OggStreamEnd.isReached(tail: file.tail) != true { warnings.append(.endMissing) }
      if holeCount > 0 { warnings.append(.missingPages(holeCount)) }
      try countDamagedPages()
    }
  }

  /// libopusfile passes over a damaged page without a word where no sound was decoded before it.
  private mutating func countDamagedPages() throws(AudioFileError) {
    guard file.length != nil else { return }
    var pages = OggPages(SequentialBytes(file))
    try pages.readToEnd()
    damagedPageCount = pages.damagedPageCount
    if damagedPageCount > 0 {
      warnings.append(.damagedPages(damagedPageCount, of: damagedPageCount + pages.intactPageCount))
    }
  }

  private func mean(ofFrame frame: Int) -> Float {
    if blockChannelCount == 1 { return block[frame] }
    var sum: Float = 0
    for channel in 0..<blockChannelCount { sum += block[frame * blockChannelCount + channel] }
    return sum / Float(blockChannelCount)
  }

  private static func comments(of handle: OpaquePointer) -> [String] {
    guard let tags = unsafe op_tags(handle, 0) else { return [] }
    let count = unsafe Int(tags.pointee.comments)
    return (0..<count).compactMap { index -> String? in
      let length = unsafe Int(tags.pointee.comment_lengths[index])
      guard let bytes = unsafe tags.pointee.user_comments[index] else { return nil }
      return unsafe String(decoding: UnsafeRawBufferPointer(start: bytes, count: length), as: UTF8.self)
    }
  }

  private static func openError(_ file: FileBytes, code: Int32) -> AudioFileError {
    if let failure = file.failure {
      return .readFailed(path: file.path, byte: failure.byte, reason: systemMessage(failure.code))
    }
    if code == OP_ENOTFORMAT { return .unrecognized(path: file.path, wanted: "an Ogg Opus file") }
    return .damaged(path: file.path, reason: pageWords(for: file) ?? words(for: code))
  }

  /// What its pages say of a file that libopusfile cannot open; `nil` where they are all right. The headers have a page
  /// each, at least (RFC 7845 §3).
  private static func pageWords(for file: FileBytes) -> String? {
    guard file.length != nil else { return nil }
    var pages = OggPages(SequentialBytes(file))
    do throws(AudioFileError) { try pages.readToEnd() } catch { return nil }
    let (intact, damaged) = (pages.intactPageCount, pages.damagedPageCount)
    if damaged > 0 {
      return intact <= 2
        ? "no page of sound in it is intact" : "\(damaged) of its \(intact + damaged) pages are damaged"
    }
    return intact <= 2 ? "it was cut before the end of its first page of sound" : nil
  }

  private static func words(for code: Int32) -> String {
    switch code {
    case OP_EREAD: "its pages end early or cannot be read"
    case OP_EIMPL: "it uses a feature that libopusfile does not know, such as an unknown channel family"
    case OP_ENOTFORMAT: "a chained stream is not Opus"
    case OP_EBADHEADER: "an Opus header is missing or breaks the rules"
    case OP_EVERSION: "its header has a version that is not known"
    case OP_EBADPACKET: "a packet could not be decoded"
    case OP_EBADLINK: "the streams cannot be found in it; it was cut or overwritten"
    case OP_EBADTIMESTAMP: "its time stamps contradict each other"
    default: "libopusfile reports error \(code)"
    }
  }
}

private func opusFileBytes(_ user: UnsafeMutableRawPointer?) -> FileBytes {
  unsafe Unmanaged<FileBytes>.fromOpaque(user!).takeUnretainedValue()
}
