import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct CaptureFormatTests {
  typealias Build = CaptureBuilder
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func read(_ bytes: [UInt8]) throws -> (datagrams: [Datagram], warnings: [CaptureWarning]) {
    var capture = try CaptureFile(path: try folder.file("capture", bytes))
    var datagrams: [Datagram] = []
    while let datagram = try capture.next() { datagrams.append(datagram) }
    return (datagrams, capture.warnings)
  }

  @Test(arguments: [0, 1, 12, 101, 113, 228, 276], [false, true])
  func everyLinkTypeLeadsToTheSameDatagram(linkType: Int, isIPv6: Bool) throws {
    let udp = Build.udp([1, 2, 3])
    let frame = Build.frame(linkType: linkType, ip: isIPv6 ? Build.ipv6(udp) : Build.ipv4(udp))
    let (datagrams, warnings) = try read(Build.pcap(linkType: linkType, frames: [frame]))
    #expect(datagrams.map(\.payload) == [[1, 2, 3]])
    #expect(warnings.isEmpty)
    #expect(
      datagrams.first?.source.description == (isIPv6 ? "[2001:db8:0:0:0:0:0:1]:4000" : "10.0.0.1:4000"))
  }

  @Test(arguments: [false, true], [false, true])
  func bothByteOrdersAndResolutionsTellTheSameTime(bigEndian: Bool, nanoseconds: Bool) throws {
    let frame = Build.ipv4(Build.udp([9]))
    let bytes = Build.pcap(linkType: 101, frames: [frame, frame], bigEndian: bigEndian, nanoseconds: nanoseconds)
    let (datagrams, _) = try read(bytes)
    #expect(datagrams.map(\.arrival.nanoseconds) == [1_000_000_000_000, 1_000_020_000_000])
  }

  @Test func interfacesOfPcapngKeepTheirOwnLinkAndClock() throws {
    let ip = Build.ipv4(Build.udp([9]))
    let ethernet = Build.frame(linkType: 1, ip: ip)
    let (datagrams, warnings) = try read(Build.pcapng(ethernet: [ethernet, ethernet], raw: [ip, ip]))
    #expect(warnings.isEmpty)
    #expect(
      datagrams.map(\.arrival.nanoseconds)
        == [1_000_000_000_000, 1_000_020_000_000, 1_000_000_000_000, 1_000_500_000_000])
  }

  @Test func aCutFileIsReadUpToTheCut() throws {
    let bytes = Build.pcap(linkType: 101, frames: Array(repeating: Build.ipv4(Build.udp([9])), count: 3))
    for cut in 1..<16 + 29 {
      let (datagrams, warnings) = try read(bytes.dropLast(cut))
      #expect(datagrams.count == 2)
      #expect(warnings == [.cutShort(byte: Int64(bytes.count - cut))])
    }
  }

  @Test func aFrameThatClaimsTooMuchEndsTheReading() throws {
    var bytes = Build.pcap(linkType: 101, frames: Array(repeating: Build.ipv4(Build.udp([9])), count: 2))
    bytes.replaceSubrange(24 + 16 + 29 + 8..<24 + 16 + 29 + 12, with: [0xFF, 0xFF, 0xFF, 0xFF])
    let (datagrams, warnings) = try read(bytes)
    #expect(datagrams.count == 1)
    #expect(warnings == [.damagedRecord(byte: 69, reason: "a frame of 4294967295 bytes")])
  }

  @Test(arguments: [false, true], [false, true])
  func fragmentsArePutTogetherInAnyOrder(isIPv6: Bool, isReversed: Bool) throws {
    let payload = (0..<4_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let udp = Build.udp(payload)
    var frames: [[UInt8]] = []
    for start in stride(from: 0, to: udp.count, by: 1_480) {
      let part = Array(udp[start..<min(start + 1_480, udp.count)])
      let isLast = start + 1_480 >= udp.count
      frames.append(
        isIPv6
          ? Build.ipv6Fragment(part, offset: start, isLast: isLast)
          : Build.ipv4(part, fragment: UInt16(start / 8) | (isLast ? 0 : 0x2000)))
    }
    // A second copy of a fragment, as a mirror port makes it, changes nothing.
    frames.insert(frames[1], at: 1)
    if isReversed { frames.reverse() }
    let (datagrams, warnings) = try read(Build.pcap(linkType: 101, frames: frames))
    #expect(datagrams.map(\.payload) == [payload])
    #expect(datagrams.first?.source.port == 4_000)
    #expect(warnings.isEmpty)
  }

  @Test func fragmentsThatStayAloneAndUnknownLinksAreCounted() throws {
    let fragments = [Build.ipv4(Build.udp([9]), fragment: 0x2000), Build.ipv4([1, 2, 3], fragment: 185)]
    let (none, warnings) = try read(Build.pcap(linkType: 101, frames: fragments))
    #expect(none.isEmpty)
    #expect(warnings == [.fragments(2)])
    #expect(try read(Build.pcap(linkType: 147, frames: fragments)).warnings == [.unsupportedLinkType(147, packets: 2)])
  }

  @Test func tunnelsOfTheAccessNetworkAreLookedThrough() throws {
    let ip = Build.ipv4(Build.udp([1, 2, 3]))
    let addresses = [UInt8](repeating: 2, count: 12)
    let pppoe = Build.join(addresses, [0x88, 0x64, 0x11, 0, 0, 1, 0, 62, 0x00, 0x21], ip)
    let mpls = Build.join(addresses, [0x88, 0x47, 0, 1, 0x00, 64, 0, 2, 0x01, 64], ip)
    let stacked = Build.join(addresses, [0x88, 0xA8, 0, 7, 0x81, 0, 0, 5, 0x08, 0x00], ip)
    let (datagrams, _) = try read(Build.pcap(linkType: 1, frames: [pppoe, mpls, stacked]))
    #expect(datagrams.map(\.payload) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
  }

  @Test func packetsThatTheCaptureShortenedKeepTheirTrueLength() throws {
    let frame = Build.ipv4(Build.udp([UInt8](repeating: 7, count: 100))).prefix(60)
    let (datagrams, warnings) = try read(Build.pcap(linkType: 101, frames: [Array(frame)]))
    #expect(datagrams.first?.payload.count == 32)
    #expect(datagrams.first?.originalByteCount == 100)
    #expect(warnings == [.cutDatagrams(1)])
  }

  @Test func othersAreRefusedWithAReason() throws {
    #expect(throws: AudioFileError.empty(path: folder.path("empty"))) {
      _ = try CaptureFile(path: folder.file("empty", []))
    }
    #expect(throws: AudioFileError.self) { _ = try CaptureFile(path: folder.file("text", Array("hello".utf8))) }
    #expect(throws: AudioFileError.isDirectory(path: folder.url.path)) { _ = try CaptureFile(path: folder.url.path) }
    #expect(throws: AudioFileError.notFound(path: folder.path("none"))) {
      _ = try CaptureFile(path: folder.path("none"))
    }
  }
}
