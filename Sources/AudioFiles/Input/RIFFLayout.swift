/// Where things lie in a WAV file, by a walk over its chunks (RIFF, RIFX, RF64 and BW64; Microsoft 1991, EBU Tech 3306).
///
///     "RIFF" size32 "WAVE" { id[4] size32 body pad-to-even }*     RIFX: sizes big endian; RF64: sizes in "ds64"
///
/// The decoder finds its own way; this walk is for the length fields, which writers often leave wrong, and to say what
/// is wrong. Nothing of a chunk's body but the few fields below is read.
struct RIFFLayout {
  /// The fields of "fmt ", those of the extensible form included.
  struct Format {
    var tag = 0
    var channelCount = 0
    var bytesPerFrame = 0
    var containerBits = 0
    var validBits = 0
  }

  private(set) var format: Format?
  /// Where the audio begins, and how many bytes of it the header promises; `nil` when there is no "data".
  private(set) var data: (offset: Int64, claimed: Int64)?
  /// Where the size of "data" stands, and in which byte order, for a correction.
  private(set) var dataSizeField: (offset: Int64, isBigEndian: Bool) = (0, false)
  /// The number of frames that "fact" or "ds64" tells.
  private(set) var claimedFrames: Int64?
  /// The size of the whole file by its header.
  private(set) var claimedLength: Int64 = 0
  /// Where the last well-formed chunk ends.
  private(set) var chunksEnd: Int64 = 12
  private(set) var formatFollowsData = false
  /// Sizes of 64 bits stand in a "ds64" chunk.
  private(set) var isRF64 = false

  /// The walk ends after this many chunks, in case a file is made of nothing else.
  private static let chunkLimit = 10_000

  /// `nil` when the file does not begin as a WAV file does. Of a pipe only the part before the audio is looked at.
  init?(of file: FileBytes) {
    let start = file.bytes(at: 0, count: 12)
    guard start.count == 12, start.text(8) == "WAVE" else { return nil }
    let form = start.text(0)
    guard ["RIFF", "RIFX", "RF64", "BW64"].contains(form) else { return nil }
    let big = form == "RIFX"
    isRF64 = form == "RF64" || form == "BW64"
    claimedLength = start.integer(4, bigEndian: big) + 8
    var wideDataSize: Int64?
    var offset: Int64 = 12

    for _ in 0..<Self.chunkLimit {
      let header = file.bytes(at: offset, count: 8)
      guard header.count == 8, header[0..<4].allSatisfy({ (0x20...0x7e).contains($0) }) else { return }
      var size = header.integer(4, bigEndian: big)
      let body = offset + 8
      switch header.text(0) {
      case "ds64":
        let sizes = file.bytes(at: body, count: 24)
        guard sizes.count == 24 else { return }
        // Held far below the end of the range, where sums would overflow.
        claimedLength = max(0, min(sizes.longInteger(0), .max / 4)) + 8
        wideDataSize = max(0, min(sizes.longInteger(8), .max / 4))
        claimedFrames = sizes.longInteger(16)
      case "fmt " where format == nil:
        format = Format(file.bytes(at: body, count: Int(min(size, 40))), bigEndian: big)
        formatFollowsData = data != nil
      case "fact" where !isRF64:
        let frames = file.bytes(at: body, count: 4)
        if frames.count == 4, size >= 4 { claimedFrames = frames.integer(0, bigEndian: big) }
      case "data" where data == nil:
        if let wideDataSize, size == 0xFFFF_FFFF { size = wideDataSize }
        data = (body, size)
        dataSizeField = (offset + 4, big)
        if file.length == nil { return }
      default: break
      }
      let end = body + size
      if let length = file.length, end > length { return }
      chunksEnd = end
      offset = end + size % 2
    }
  }

  /// Whether the size of "data" is one that stands for "not known": left at 0 in a header that was never completed, or
  /// the greatest value, as programs write that stream to a pipe.
  func dataSizeIsUnknown(fileLength: Int64?) -> Bool {
    guard let data, !isRF64 else { return false }
    // sox rounds the greatest signed value down to whole pages and frames; others write all ones.
    if (0x7FFF_EF00...0x7FFF_FFFF).contains(data.claimed) || data.claimed >= 0xFFFF_FF00 {
      return fileLength.map { data.offset + data.claimed > $0 } ?? true
    }
    // The header of a complete file counts the chunks behind an empty one; a file that ends there has no audio.
    return data.claimed == 0 && claimedLength <= data.offset && fileLength != data.offset
  }
}

extension RIFFLayout.Format {
  init?(_ bytes: [UInt8], bigEndian big: Bool) {
    guard bytes.count >= 16 else { return nil }
    tag = bytes.shortInteger(0, bigEndian: big)
    channelCount = bytes.shortInteger(2, bigEndian: big)
    bytesPerFrame = bytes.shortInteger(12, bigEndian: big)
    containerBits = bytes.shortInteger(14, bigEndian: big)
    validBits = containerBits
    if tag == 0xFFFE, bytes.count >= 26 {
      validBits = bytes.shortInteger(18, bigEndian: big)
      tag = bytes.shortInteger(24, bigEndian: big)
    } else if tag == 1, bytesPerFrame > 0, channelCount > 0 {
      // The plain form has one field for both: 12 bits lie in a container of 16.
      containerBits = bytesPerFrame / channelCount * 8
    }
  }
}

extension [UInt8] {
  /// Four bytes as text.
  func text(_ offset: Int) -> String { String(decoding: self[offset..<offset + 4], as: UTF8.self) }

  func shortInteger(_ offset: Int, bigEndian: Bool) -> Int {
    bigEndian ? Int(self[offset]) << 8 | Int(self[offset + 1]) : Int(self[offset + 1]) << 8 | Int(self[offset])
  }

  func integer(_ offset: Int, bigEndian: Bool) -> Int64 {
    let (first, second) = (shortInteger(offset, bigEndian: bigEndian), shortInteger(offset + 2, bigEndian: bigEndian))
    return Int64(bigEndian ? first << 16 | second : second << 16 | first)
  }

  /// Eight bytes, little endian; negative when the highest bit is set.
  func longInteger(_ offset: Int) -> Int64 {
    integer(offset + 4, bigEndian: false) << 32 | integer(offset, bigEndian: false)
  }
}
