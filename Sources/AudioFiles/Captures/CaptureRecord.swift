internal import RealtimeCore

/// One captured frame as its file stores it.
struct CaptureRecord {
  let arrival: MediaInstant
  let linkType: Int
  let bytes: [UInt8]
}

/// What came of looking for the next record.
enum CaptureStep {
  case record(CaptureRecord)
  case datagram(Datagram)
  /// A block without a packet.
  case nothing
  case end
  case damaged(byte: Int64, reason: String)
}

/// No sane frame is longer: 64 KiB of IP packet and its link header; capture files with more are damaged.
let frameByteLimit = 262_144
