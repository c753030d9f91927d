internal import RealtimeCore

/// Records of the newer capture format (draft-ietf-opsawg-pcapng): blocks, several interfaces, each with its own link
/// type and clock.
///
///     { type32 length32 body length32 }*     section header: 0A0D0D0A length 1A2B3C4D …
///
/// Blocks of other types are passed over. A new section forgets the interfaces of the one before.
struct PcapngParser {
  private struct Interface {
    var linkType: Int
    /// Ticks in a second, and the seconds to add.
    var ticksPerSecond: UInt64 = 1_000_000
    var offsetSeconds: Int64 = 0
  }

  private var isBigEndian = false
  private var interfaces: [Interface] = []
  private var lastArrival = MediaInstant.zero

  private static let interfaceLimit = 4_096

  static func recognizes(_ start: [UInt8]) -> Bool {
    start.count >= 12 && start.integer(0, bigEndian: true) == 0x0A0D_0D0A
      && [0x1A2B_3C4D, 0x4D3C_2B1A].contains(start.integer(8, bigEndian: true))
  }

  mutating func next(_ input: inout SequentialBytes) throws(AudioFileError) -> CaptureStep {
    let start = input.offset
    guard let header = try input.read(8) else { return .end }
    var type = header.integer(0, bigEndian: isBigEndian)
    var magic: [UInt8] = []
    if header.integer(0, bigEndian: true) == 0x0A0D_0D0A {  // reads the same in both orders
      guard let read = try input.read(4) else { return .end }
      magic = read
      guard Self.recognizes(header + magic) else {
        return .damaged(byte: start, reason: "a section without byte order")
      }
      isBigEndian = magic.integer(0, bigEndian: true) == 0x1A2B_3C4D
      interfaces = []
      type = 0x0A0D_0D0A
    }
    let length = header.integer(4, bigEndian: isBigEndian)
    guard length >= 12 + Int64(magic.count), length % 4 == 0 else {
      return .damaged(byte: start, reason: "a block of \(length) bytes")
    }
    let bodyLength = length - 12 - Int64(magic.count)
    guard [1, 2, 3, 6].contains(type) else {
      return try input.skip(bodyLength + 4) ? .nothing : .end
    }
    guard bodyLength <= frameByteLimit + 65_536 else {
      return .damaged(byte: start, reason: "a packet block of \(length) bytes")
    }
    guard let body = try input.read(Int(bodyLength)), try input.read(4) != nil else { return .end }
    switch type {
    case 1: return interface(body) ? .nothing : .damaged(byte: start, reason: "an interface without a link type")
    case 2, 6: return packet(body, isObsolete: type == 2, at: start)
    default: return simplePacket(body, at: start)
    }
  }

  /// Interface description: link16 reserved16 snap32 { code16 length16 value padded to 4 }*
  private mutating func interface(_ body: [UInt8]) -> Bool {
    guard body.count >= 8, interfaces.count < Self.interfaceLimit else { return false }
    var interface = Interface(linkType: body.shortInteger(0, bigEndian: isBigEndian))
    var offset = 8
    while offset + 4 <= body.count {
      let code = body.shortInteger(offset, bigEndian: isBigEndian)
      let length = body.shortInteger(offset + 2, bigEndian: isBigEndian)
      let value = offset + 4
      guard code != 0, value + length <= body.count else { break }
      if code == 9, length >= 1 { interface.ticksPerSecond = Self.resolution(body[value]) }
      if code == 14, length >= 8 { interface.offsetSeconds = long(body, value) }
      offset = value + (length + 3) / 4 * 4
    }
    interfaces.append(interface)
    return true
  }

  /// Enhanced packet: interface32 high32 low32 kept32 original32 bytes; the obsolete one has interface16 drops16.
  private mutating func packet(_ body: [UInt8], isObsolete: Bool, at start: Int64) -> CaptureStep {
    guard body.count >= 20 else { return .damaged(byte: start, reason: "a packet block of \(body.count) bytes") }
    let number =
      isObsolete ? body.shortInteger(0, bigEndian: isBigEndian) : Int(body.integer(0, bigEndian: isBigEndian))
    guard interfaces.indices.contains(number) else {
      return .damaged(byte: start, reason: "a packet of interface \(number), of which there are \(interfaces.count)")
    }
    let ticks = UInt64(body.integer(4, bigEndian: isBigEndian)) << 32 | UInt64(body.integer(8, bigEndian: isBigEndian))
    let kept = body.integer(12, bigEndian: isBigEndian)
    guard kept <= body.count - 20 else { return .damaged(byte: start, reason: "a frame longer than its block") }
    lastArrival = Self.instant(ticks, interfaces[number])
    return .record(
      CaptureRecord(
        arrival: lastArrival, linkType: interfaces[number].linkType, bytes: Array(body[20..<20 + Int(kept)])))
  }

  /// Simple packet: original32 bytes; it tells no time, so the last one stands.
  private func simplePacket(_ body: [UInt8], at start: Int64) -> CaptureStep {
    guard body.count >= 4, let interface = interfaces.first else {
      return .damaged(byte: start, reason: "a packet before any interface")
    }
    let kept = min(Int(body.integer(0, bigEndian: isBigEndian)), body.count - 4)
    return .record(
      CaptureRecord(arrival: lastArrival, linkType: interface.linkType, bytes: Array(body[4..<4 + kept])))
  }

  private func long(_ body: [UInt8], _ offset: Int) -> Int64 {
    let (first, second) = (
      body.integer(offset, bigEndian: isBigEndian), body.integer(offset + 4, bigEndian: isBigEndian)
    )
    return isBigEndian ? first << 32 | second : second << 32 | first
  }

  /// if_tsresol: 10 to the power of the value, or 2 when the highest bit is set; beyond what fits, the greatest that does.
  private static func resolution(_ value: UInt8) -> UInt64 {
    if value & 0x80 != 0 { return 1 << min(UInt64(value & 0x7F), 63) }
    return (0..<min(value, 19)).reduce(1) { power, _ in power * 10 }
  }

  private static func instant(_ ticks: UInt64, _ interface: Interface) -> MediaInstant {
    let seconds = ticks / interface.ticksPerSecond
    let rest = ticks % interface.ticksPerSecond
    let product = rest.multipliedFullWidth(by: 1_000_000_000)
    let fraction = interface.ticksPerSecond.dividingFullWidth(product).quotient
    let whole = Int64(truncatingIfNeeded: seconds) &+ interface.offsetSeconds
    return MediaInstant(nanoseconds: whole &* 1_000_000_000 &+ Int64(fraction))
  }
}
