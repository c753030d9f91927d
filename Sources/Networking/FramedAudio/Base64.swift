public import RealtimeCore

/// Base64 with the standard alphabet (RFC 4648 §4), between sound and the text of a JSON message.
///
/// Padding is written, and may be missing in what is read. Line breaks, spaces and the URL alphabet are refused.
/// - Threads: any one at a time; all but `init` is for the audio path. Memory: 4 KiB, allocated in `init`.
public struct Base64: ~Copyable, Sendable {
  private var characters: ByteBuffer
  private var values: ByteBuffer
  private var block: ByteBuffer

  /// What `values` has for a byte that is no character.
  private static var none: UInt8 { @_noLocks get { 0x80 } }
  /// Bytes that are decoded at once; a multiple of 3.
  private static var blockByteCount: Int { @_noLocks get { 3_072 } }

  /// Makes the tables.
  public init() {
    characters = ByteBuffer(repeating: 0, count: 64)
    values = ByteBuffer(repeating: Self.none, count: 256)
    block = ByteBuffer(repeating: 0, count: Self.blockByteCount)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (value, character) in alphabet.utf8.enumerated() {
      characters[value] = character
      values[Int(character)] = UInt8(value)
    }
  }

  /// Characters of `byteCount` bytes, padding included.
  @_noLocks
  public static func characterCount(of byteCount: Int) -> Int { (byteCount &+ 2) / 3 &* 4 }

  /// Writes the characters of all bytes.
  /// - Parameter text: room for at least `characterCount(of: bytes.count)`; traps otherwise.
  /// - Returns: the characters written.
  @_noLocks
  public func encode(_ bytes: borrowing ByteView, into text: inout MutableSpan<UInt8>) -> Int {
    let (count, room) = (bytes.count, text.count)
    let needed = Self.characterCount(of: count)
    precondition(needed <= room, "Base64.encode: the text has no room for the characters; see characterCount(of:)")
    var (read, written) = (0, 0)
    while read &+ 3 <= count {
      let bits = Int(bytes[read]) << 16 | Int(bytes[read &+ 1]) << 8 | Int(bytes[read &+ 2])
      text[written] = characters[bits >> 18]
      text[written &+ 1] = characters[bits >> 12 & 63]
      text[written &+ 2] = characters[bits >> 6 & 63]
      text[written &+ 3] = characters[bits & 63]
      read = read &+ 3
      written = written &+ 4
    }
    if read < count {
      let isPair = count &- read == 2
      let bits = Int(bytes[read]) << 16 | (isPair ? Int(bytes[read &+ 1]) << 8 : 0)
      text[written] = characters[bits >> 18]
      text[written &+ 1] = characters[bits >> 12 & 63]
      text[written &+ 2] = isPair ? characters[bits >> 6 & 63] : UInt8(ascii: "=")
      text[written &+ 3] = UInt8(ascii: "=")
    }
    return needed
  }

  /// Decodes the sound of a message.
  ///
  /// A sample may begin in one message and end in the next, as in `FramedAudioDecoder`. A message that is refused leaves
  /// the decoder as it was; the samples' buffer may have changed.
  /// - Parameter samples: room for the message's samples: `sampleCount(of:by:)`.
  /// - Returns: the samples written.
  @_noLocks
  public mutating func decode(
    _ text: borrowing ByteView, by decoder: inout FramedAudioDecoder, into samples: inout MutableSpan<Float>
  ) throws(FramedAudioError) -> Int {
    let count = try Self.lengthWithoutPadding(text)
    let (needed, room) = (decoder.sampleCount(of: Self.byteCount(of: count)), samples.count)
    guard needed <= room else { throw .bufferTooSmall(needed: needed, found: room) }
    let before = decoder.state
    var (read, written) = (0, 0)
    while read < count {
      let part = Swift.min(count &- read, Self.blockByteCount / 3 &* 4)
      let failed = decodeBlock(text, read..<(read &+ part))
      guard failed < 0 else {
        decoder.state = before
        throw .notBase64(offset: failed)
      }
      var rest = samples.part(written..<room)
      written = written &+ decoder.decode(block.view(0..<Self.byteCount(of: part)), into: &rest).samplesWritten
      read = read &+ part
    }
    return written
  }

  /// The same for callers that are not on the audio path.
  public mutating func decode(
    _ text: Span<UInt8>, by decoder: inout FramedAudioDecoder, into samples: inout MutableSpan<Float>
  ) throws(FramedAudioError) -> Int {
    try decode(ByteView(text), by: &decoder, into: &samples)
  }

  /// The same for callers that are not on the audio path.
  public func encode(_ bytes: Span<UInt8>, into text: inout MutableSpan<UInt8>) -> Int {
    encode(ByteView(bytes), into: &text)
  }

  /// Samples of a text of `characterCount` characters, at most.
  @_noLocks
  public static func sampleCount(of characterCount: Int, by decoder: borrowing FramedAudioDecoder) -> Int {
    decoder.sampleCount(of: byteCount(of: characterCount))
  }

  /// Bytes of that many characters without padding.
  @_noLocks
  private static func byteCount(of characterCount: Int) -> Int {
    characterCount / 4 &* 3 &+ Swift.max(0, characterCount % 4 &- 1)
  }

  @_noLocks
  private static func lengthWithoutPadding(_ text: borrowing ByteView) throws(FramedAudioError) -> Int {
    let total = text.count
    var count = total
    // At most two, and only where they fill the last four.
    while count > 0, total &- count < 2, text[count &- 1] == UInt8(ascii: "=") { count = count &- 1 }
    if count < total, total % 4 != 0 { throw .truncatedBase64(count: total) }
    if count % 4 == 1 { throw .truncatedBase64(count: total) }
    return count
  }

  /// Decodes a part of the text into `block`; the part's length is a multiple of 4 but at the text's end.
  /// - Returns: where a byte stands that is no character, or -1.
  @_noLocks
  private mutating func decodeBlock(_ text: borrowing ByteView, _ range: Range<Int>) -> Int {
    var (read, written) = (range.lowerBound, 0)
    let end = range.upperBound
    while read &+ 4 <= end {
      let a = values[Int(text[read])]
      let b = values[Int(text[read &+ 1])]
      let c = values[Int(text[read &+ 2])]
      let d = values[Int(text[read &+ 3])]
      if (a | b | c | d) & Self.none != 0 { break }
      block[written] = a << 2 | b >> 4
      block[written &+ 1] = b << 4 | c >> 2
      block[written &+ 2] = c << 6 | d
      read = read &+ 4
      written = written &+ 3
    }
    // The last two or three characters, or those in which one is wrong.
    var bits = 0
    var count = 0
    while read < end {
      let value = values[Int(text[read])]
      if value & Self.none != 0 { return read }
      bits = bits << 6 | Int(value)
      read = read &+ 1
      count = count &+ 1
    }
    if count >= 2 { block[written] = UInt8(truncatingIfNeeded: bits >> (count == 2 ? 4 : 10)) }
    if count == 3 { block[written &+ 1] = UInt8(truncatingIfNeeded: bits >> 2) }
    return -1
  }
}
