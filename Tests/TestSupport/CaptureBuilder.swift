import Foundation

/// Frames and capture files written out by hand, for what no capture at hand shows.
public enum CaptureBuilder {
  /// Most significant byte first.
  public static func big(_ value: some FixedWidthInteger) -> [UInt8] { little(value.byteSwapped) }

  /// Least significant byte first.
  public static func little<Integer: FixedWidthInteger>(_ value: Integer) -> [UInt8] {
    (0..<Integer.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// One after the other; long sums of array literals cost the compiler minutes.
  public static func join(_ parts: [UInt8]...) -> [UInt8] { Array(parts.joined()) }

  /// A packet of silence in some codec, or of `media`.
  public static func rtp(
    sequence: UInt16, timestamp: UInt32, payloadType: UInt8 = 0, ssrc: UInt32 = 7, payload: Int = 160,
    media: [UInt8]? = nil
  ) -> [UInt8] {
    join(
      [0x80, payloadType], big(sequence), big(timestamp), big(ssrc),
      media ?? [UInt8](repeating: 0x55, count: payload))
  }

  /// A datagram from port 4000 to 5000, unless told otherwise.
  public static func udp(_ payload: [UInt8], from: UInt16 = 4_000, to: UInt16 = 5_000) -> [UInt8] {
    join(big(from), big(to), big(UInt16(payload.count + 8)), [0, 0], payload)
  }

  /// From 10.0.0.1 to 10.0.0.2; `fragment` is the field of flags and offset.
  public static func ipv4(_ udp: [UInt8], fragment: UInt16 = 0) -> [UInt8] {
    let length = UInt16(udp.count + 20)
    return join([0x45, 0], big(length), [0, 1], big(fragment), [64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2], udp)
  }

  /// With a destination options header in front of UDP.
  public static func ipv6(_ udp: [UInt8]) -> [UInt8] {
    let network: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let length = UInt16(udp.count + 8)
    return join([0x60, 0, 0, 0], big(length), [60, 64], network, [1], network, [2], [17, 0, 1, 4, 0, 0, 0, 0], udp)
  }

  /// One fragment of a packet whose part behind the IP headers is cut up.
  public static func ipv6Fragment(_ part: [UInt8], offset: Int, isLast: Bool) -> [UInt8] {
    let network: [UInt8] = [0x20, 0x01, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    let place = big(UInt16(offset | (isLast ? 0 : 1)))
    return join(
      [0x60, 0, 0, 0], big(UInt16(part.count + 8)), [44, 64], network, [1], network, [2], [17, 0], place,
      [0, 0, 0, 9], part)
  }

  /// The packet behind the header of a link type.
  public static func frame(linkType: Int, ip: [UInt8]) -> [UInt8] {
    let etherType: [UInt8] = ip[0] >> 4 == 4 ? [0x08, 0x00] : [0x86, 0xDD]
    switch linkType {
    case 0: return join(little(UInt32(2)), ip)
    case 1: return join([UInt8](repeating: 2, count: 12), [0x81, 0x00, 0, 5], etherType, ip)
    case 113: return join([UInt8](repeating: 0, count: 14), etherType, ip)
    case 276: return join(etherType, [UInt8](repeating: 0, count: 18), ip)
    default: return ip
    }
  }

  /// A classic capture, a frame every 20 ms unless `milliseconds` says when.
  public static func pcap(
    linkType: Int, frames: [[UInt8]], bigEndian: Bool = false, nanoseconds: Bool = false, milliseconds: [Int]? = nil
  ) -> [UInt8] {
    func number(_ value: UInt32) -> [UInt8] { bigEndian ? big(value) : little(value) }
    func short(_ value: UInt16) -> [UInt8] { bigEndian ? big(value) : little(value) }
    var file = join(
      number(nanoseconds ? 0xA1B2_3C4D : 0xA1B2_C3D4), short(2), short(4), number(0), number(0), number(65_535),
      number(UInt32(linkType)))
    for (index, frame) in frames.enumerated() {
      let offset = milliseconds?[index] ?? 20 * index
      let fraction = UInt32(offset % 1_000) * (nanoseconds ? 1_000_000 : 1_000)
      let length = number(UInt32(frame.count))
      file += join(number(UInt32(1_000 + offset / 1_000)), number(fraction), length, length, frame)
    }
    return file
  }

  /// Two interfaces: Ethernet in microseconds and raw IP in units of 2⁻¹⁰ s that began at second 500.
  public static func pcapng(ethernet: [[UInt8]], raw: [[UInt8]]) -> [UInt8] {
    func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
      let padding = [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
      let length = little(UInt32(body.count + padding.count + 12))
      return join(little(type), length, body, padding, length)
    }
    func packet(_ interface: UInt32, _ ticks: UInt64, _ frame: [UInt8]) -> [UInt8] {
      let high = little(UInt32(ticks >> 32))
      let low = little(UInt32(truncatingIfNeeded: ticks))
      let length = little(UInt32(frame.count))
      return block(6, join(little(interface), high, low, length, length, frame))
    }
    let resolution = join(little(UInt16(9)), little(UInt16(1)), [0x8A, 0, 0, 0])
    let offset = join(little(UInt16(14)), little(UInt16(8)), little(Int64(500)))
    var file = block(0x0A0D_0D0A, join(little(UInt32(0x1A2B_3C4D)), little(UInt16(1)), [0, 0], little(Int64(-1))))
    file += block(1, join(little(UInt16(1)), [0, 0], little(UInt32(0))))
    file += block(1, join(little(UInt16(101)), [0, 0], little(UInt32(0)), resolution, offset, [0, 0, 0, 0]))
    for (index, frame) in ethernet.enumerated() { file += packet(0, 1_000_000_000 + UInt64(index) * 20_000, frame) }
    file += block(5, [1, 2, 3, 4])
    for (index, frame) in raw.enumerated() { file += packet(1, 512_000 + UInt64(index) * 512, frame) }
    return file
  }
}
