internal import RealtimeCore

/// Records of the rtpdump format (Schulzrinne's rtptools), which stores RTP and RTCP packets without IP headers.
///
///     "#!rtpplay1.0 224.2.0.1/3456\n"  seconds32 microseconds32 source32 port16 padding16
///     { length16 original16 milliseconds32 bytes }*       all big endian; original 0: the packet is RTCP
struct RTPDumpParser {
  private let start: Int64
  private let source: NetworkEndpoint

  private static let firstLineLimit = 256

  static func recognizes(_ start: [UInt8]) -> Bool { start.starts(with: "#!rtpplay1.0 ".utf8) }

  /// Reads the header; `nil` when the file ends in it.
  init?(_ input: inout SequentialBytes) throws(AudioFileError) {
    var count = 0
    while let byte = try input.readByte(), byte != 0x0A {
      count += 1
      if count > Self.firstLineLimit { return nil }
    }
    guard let header = try input.read(16) else { return nil }
    start = header.integer(0, bigEndian: true) * 1_000_000_000 + header.integer(4, bigEndian: true) * 1_000
    source = NetworkEndpoint(
      address: Array(header[8..<12]), port: UInt16(header.shortInteger(12, bigEndian: true)))
  }

  mutating func next(_ input: inout SequentialBytes) throws(AudioFileError) -> CaptureStep {
    let place = input.offset
    guard let header = try input.read(8) else { return .end }
    let length = header.shortInteger(0, bigEndian: true)
    let original = header.shortInteger(2, bigEndian: true)
    guard length >= 8 else { return .damaged(byte: place, reason: "a record of \(length) bytes") }
    guard let payload = try input.read(length - 8) else { return .end }
    let offset = header.integer(4, bigEndian: true) * 1_000_000
    return .datagram(
      Datagram(
        arrival: MediaInstant(nanoseconds: start + offset), source: source,
        destination: NetworkEndpoint(address: [0, 0, 0, 0], port: 0), payload: payload,
        originalByteCount: max(original, payload.count), isMarkedControl: original == 0))
  }
}
