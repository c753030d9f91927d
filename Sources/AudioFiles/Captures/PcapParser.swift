internal import RealtimeCore

/// Records of the classic capture format (libpcap; described by draft-ietf-opsawg-pcap).
///
///     magic32 major16 minor16 zone32 figures32 snap32 link32   { seconds32 fraction32 kept32 original32 bytes }*
///
/// The magic tells the byte order of all fields, and whether fractions are micro- or nanoseconds.
struct PcapParser {
  private let isBigEndian: Bool
  private let fractionNanoseconds: Int64
  private let linkType: Int

  static let headerLength = 24

  /// `nil` when `header`, the first 24 bytes, is not that of such a file.
  init?(header: [UInt8]) {
    guard header.count == Self.headerLength else { return nil }
    switch header.integer(0, bigEndian: true) {
    case 0xA1B2_C3D4: (isBigEndian, fractionNanoseconds) = (true, 1_000)
    case 0xD4C3_B2A1: (isBigEndian, fractionNanoseconds) = (false, 1_000)
    case 0xA1B2_3C4D: (isBigEndian, fractionNanoseconds) = (true, 1)
    case 0x4D3C_B2A1: (isBigEndian, fractionNanoseconds) = (false, 1)
    default: return nil
    }
    // The upper half holds the length of a checksum behind each frame.
    linkType = Int(header.integer(20, bigEndian: isBigEndian) & 0xFFFF)
  }

  mutating func next(_ input: inout SequentialBytes) throws(AudioFileError) -> CaptureStep {
    let start = input.offset
    guard let header = try input.read(16) else { return .end }
    let kept = header.integer(8, bigEndian: isBigEndian)
    guard kept <= frameByteLimit else { return .damaged(byte: start, reason: "a frame of \(kept) bytes") }
    guard let bytes = try input.read(Int(kept)) else { return .end }
    let seconds = header.integer(0, bigEndian: isBigEndian)
    let fraction = header.integer(4, bigEndian: isBigEndian)
    let arrival = MediaInstant(nanoseconds: seconds * 1_000_000_000 + fraction * fractionNanoseconds)
    return .record(CaptureRecord(arrival: arrival, linkType: linkType, bytes: bytes))
  }
}
