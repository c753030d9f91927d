/// The number of samples that a FLAC file's first metadata block tells (RFC 9639 §8.2), which need not be true.
///
///     "fLaC" type8 size24 | min16 max16 min24 max24 rate20 channels3 bits5 total36 md5[16]
struct FLACLayout {
  /// 36 bits; `nil` when the encoder did not know.
  let claimedFrames: Int64?
  /// Where the five bytes stand whose lower 36 bits are the total, and what they are when it is "not known".
  let totalField: (offset: Int64, unknown: [UInt8])

  /// `nil` when the file does not begin as a FLAC file does.
  init?(of file: FileBytes) {
    let start = file.bytes(at: 0, count: 26)
    guard start.count == 26, start.text(0) == "fLaC", start[4] & 0x7F == 0 else { return nil }
    let total = Int64(start[21] & 0x0F) << 32 | start.integer(22, bigEndian: true)
    claimedFrames = total == 0 ? nil : total
    totalField = (21, [start[21] & 0xF0, 0, 0, 0, 0])
  }
}
