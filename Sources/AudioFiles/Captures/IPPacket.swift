/// What a captured frame carries, found by walking link, IP and UDP headers. Every read is checked: frames are hostile.
enum FrameContents {
  case datagram(
    source: NetworkEndpoint, destination: NetworkEndpoint, payload: ArraySlice<UInt8>, originalByteCount: Int)
  case fragment(IPFragment)
  /// Not UDP, or headers that contradict themselves.
  case other
  case unsupportedLinkType

  /// - Parameter linkType: LINKTYPE_ number of the tcpdump registry.
  init(frame: [UInt8], linkType: Int) {
    guard let start = Self.networkLayer(of: frame, linkType: linkType) else {
      self = .unsupportedLinkType
      return
    }
    self = start < frame.count ? Self.ip(frame[start...]) : .other
  }

  /// Where IP begins; beyond the end when the frame carries something else; `nil` for an unknown link type.
  private static func networkLayer(of frame: [UInt8], linkType: Int) -> Int? {
    switch linkType {
    case 0, 108: return 4  // loopback: 4 bytes of address family; IP tells its version itself
    case 12, 14, 101, 228, 229: return 0  // raw IP
    case 1:  // Ethernet: 6 destination, 6 source, type; 802.1Q tags of 4 bytes may stand before the type
      return behind(etherType: frame, at: 12)
    case 113: return behind(etherType: frame, at: 14)  // Linux cooked v1: 14 bytes, then the type
    case 276: return behind(etherType: frame, at: 0).map { $0 == 2 ? 20 : $0 }  // v2: the type, then 18 bytes
    default: return nil
    }
  }

  private static func behind(etherType frame: [UInt8], at place: Int) -> Int? {
    var place = place
    for _ in 0..<4 {
      guard place + 2 <= frame.count else { return .max }
      switch frame.shortInteger(place, bigEndian: true) {
      case 0x0800, 0x86DD: return place + 2
      case 0x8100, 0x88A8, 0x9100: place += 4
      case 0x8847:  // MPLS: labels of 4 bytes, the last of which has its lowest bit of the third set (RFC 3032 §2.1)
        var label = place + 2
        while label + 4 <= frame.count, frame[label + 2] & 1 == 0 { label += 4 }
        return label + 4
      case 0x8864:  // PPPoE: 6 bytes, then PPP's type (RFC 2516 §4)
        guard place + 10 <= frame.count else { return .max }
        return [0x0021, 0x0057].contains(frame.shortInteger(place + 8, bigEndian: true)) ? place + 10 : .max
      default: return .max
      }
    }
    return .max
  }

  /// A datagram put together from `fragment` and others.
  static func whole(_ bytes: [UInt8], of fragment: IPFragment) -> FrameContents {
    udp(
      bytes[...], wireLength: bytes.count, source: fragment.key.source, destination: fragment.key.destination)
  }

  private static func ip(_ packet: ArraySlice<UInt8>) -> FrameContents {
    let bytes = Array(packet)
    switch bytes[0] >> 4 {
    case 4: return ipv4(bytes)
    case 6: return ipv6(bytes)
    default: return .other
    }
  }

  /// RFC 791: version4 headerWords4 … total16 id16 flags3 offset13 ttl8 protocol8 checksum16 source32 destination32
  private static func ipv4(_ bytes: [UInt8]) -> FrameContents {
    let headerLength = Int(bytes[0] & 0x0F) * 4
    guard headerLength >= 20, bytes.count >= headerLength else { return .other }
    guard bytes[9] == 17 else { return .other }
    // Offloading network cards leave the total length at 0.
    let told = bytes.shortInteger(2, bigEndian: true)
    let end = told == 0 ? bytes.count : told
    guard end >= headerLength else { return .other }
    // More fragments to come, or not the first: there is no whole datagram here.
    let place = bytes.shortInteger(6, bigEndian: true)
    guard place & 0x3FFF == 0 else {
      return .fragment(
        IPFragment(
          key: .init(
            source: Array(bytes[12..<16]), destination: Array(bytes[16..<20]),
            identification: bytes.shortInteger(4, bigEndian: true)),
          offset: (place & 0x1FFF) * 8, hasSuccessor: place & 0x2000 != 0,
          bytes: Array(bytes[headerLength..<min(end, bytes.count)])))
    }
    return udp(
      bytes[headerLength..<min(end, bytes.count)], wireLength: end - headerLength, source: Array(bytes[12..<16]),
      destination: Array(bytes[16..<20]))
  }

  /// RFC 8200: version4 class8 flow20 | length16 next8 hops8 | source128 | destination128, then extension headers
  private static func ipv6(_ bytes: [UInt8]) -> FrameContents {
    guard bytes.count >= 40 else { return .other }
    let told = bytes.shortInteger(4, bigEndian: true)
    let wireEnd = told == 0 ? bytes.count : 40 + told
    let end = min(wireEnd, bytes.count)
    var header = bytes[6]
    var offset = 40
    for _ in 0..<8 {
      if header == 17 {
        return udp(
          bytes[offset..<end], wireLength: wireEnd - offset, source: Array(bytes[8..<24]),
          destination: Array(bytes[24..<40]))
      }
      guard offset + 8 <= end else { return .other }
      var length = 8 + Int(bytes[offset + 1]) * 8
      switch header {
      case 0, 43, 60: break  // hop-by-hop, routing, destination options
      case 51: length = (Int(bytes[offset + 1]) + 2) * 4  // authentication counts in words
      case 44:  // fragment: one that is alone may be read
        let place = bytes.shortInteger(offset + 2, bigEndian: true)
        if place & 0xFFF9 != 0 {
          guard bytes[offset] == 17 else { return .other }
          return .fragment(
            IPFragment(
              key: .init(
                source: Array(bytes[8..<24]), destination: Array(bytes[24..<40]),
                identification: Int(bytes.integer(offset + 4, bigEndian: true))),
              offset: place & 0xFFF8, hasSuccessor: place & 1 != 0, bytes: Array(bytes[offset + 8..<end])))
        }
        length = 8
      default: return .other
      }
      header = bytes[offset]
      offset += length
      guard offset <= end else { return .other }
    }
    return .other
  }

  /// RFC 768: source16 destination16 length16 checksum16
  ///
  /// - Parameter wireLength: bytes that IP has for UDP; the capture may hold fewer, and UDP's own length may lie.
  private static func udp(
    _ bytes: ArraySlice<UInt8>, wireLength: Int, source: [UInt8], destination: [UInt8]
  ) -> FrameContents {
    let start = bytes.startIndex
    guard bytes.count >= 8 else { return .other }
    func short(_ offset: Int) -> UInt16 { UInt16(bytes[start + offset]) << 8 | UInt16(bytes[start + offset + 1]) }
    let told = Int(short(4))
    guard told == 0 || told >= 8 else { return .other }
    let original = (told == 0 ? wireLength : min(told, wireLength)) - 8
    return .datagram(
      source: NetworkEndpoint(address: source, port: short(0)),
      destination: NetworkEndpoint(address: destination, port: short(2)),
      payload: bytes[(start + 8)...].prefix(original), originalByteCount: original)
  }
}
