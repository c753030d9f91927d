/// Reads the UDP datagrams of a packet capture, one after the other, in bounded memory.
///
/// pcap (both byte orders, micro- and nanoseconds), pcapng and rtpdump, told apart by their first bytes. Link types:
/// Ethernet with VLAN tags, PPPoE or MPLS, Linux cooked (1 and 2), loopback, raw IP. Fragments of IP packets are put together. A capture that was cut or is damaged is read up
/// to there; `warnings` tells.
///
///     var capture = try CaptureFile(path: "call.pcap")
///     var survey = RTPStreamSurvey()
///     while let datagram = try capture.next() { survey.add(datagram) }
///
/// - Threads: one at a time; blocks on the disk or pipe.
public struct CaptureFile: ~Copyable {
  /// How the file is laid out.
  public enum Format: String, Sendable {
    case pcap, pcapng, rtpdump
  }

  /// How the file is laid out.
  public let format: Format
  /// Records so far, whatever they carry.
  public private(set) var packetCount = 0
  /// UDP datagrams so far.
  public private(set) var datagramCount = 0
  /// What was found to be odd so far; complete once `next` has returned `nil`.
  public private(set) var warnings: [CaptureWarning] = []

  private enum Parser {
    case pcap(PcapParser)
    case pcapng(PcapngParser)
    case rtpdump(RTPDumpParser)
  }

  private var parser: Parser
  private var input: SequentialBytes
  private var fragments = FragmentAssembly()
  private var cutCount = 0
  private var unsupported: [Int: Int] = [:]
  private var isAtEnd = false

  /// Opens `path` ("-" is standard input) and reads its header.
  public init(path: String) throws(AudioFileError) {
    let file = try FileBytes(path: path)
    let start = file.bytes(at: 0, count: PcapParser.headerLength)
    if start.isEmpty, file.failure == nil { throw .empty(path: path) }
    var input = SequentialBytes(file)
    if PcapngParser.recognizes(start) {
      (format, parser) = (.pcapng, .pcapng(PcapngParser()))
    } else if RTPDumpParser.recognizes(start) {
      guard let rtpdump = try RTPDumpParser(&input) else {
        throw .damaged(path: path, reason: "it ends inside its header")
      }
      (format, parser) = (.rtpdump, .rtpdump(rtpdump))
    } else if let pcap = PcapParser(header: start) {
      _ = try input.read(PcapParser.headerLength)
      (format, parser) = (.pcap, .pcap(pcap))
    } else {
      throw .unrecognized(path: path, wanted: "a packet capture (pcap, pcapng or rtpdump)")
    }
    self.input = input
  }

  /// The next datagram; `nil` at the end. Packets that are not UDP are passed over.
  public mutating func next() throws(AudioFileError) -> Datagram? {
    while !isAtEnd {
      let start = input.offset
      switch try step() {
      case .nothing: continue
      case .datagram(let datagram):
        packetCount += 1
        datagramCount += 1
        return datagram
      case .record(let record):
        packetCount += 1
        if let datagram = contents(of: record) { return datagram }
      case .damaged(let byte, let reason):
        finish(.damagedRecord(byte: byte, reason: reason))
      case .end:
        let end = try input.end()
        finish(end == start ? nil : .cutShort(byte: end))
      }
    }
    return nil
  }

  private mutating func step() throws(AudioFileError) -> CaptureStep {
    switch parser {
    case .pcap(var pcap): return try pcap.next(&input)
    case .pcapng(var pcapng):
      let step = try pcapng.next(&input)
      parser = .pcapng(pcapng)
      return step
    case .rtpdump(var rtpdump): return try rtpdump.next(&input)
    }
  }

  private mutating func contents(of record: CaptureRecord) -> Datagram? {
    var contents = FrameContents(frame: record.bytes, linkType: record.linkType)
    if case .fragment(let fragment) = contents {
      contents = fragments.add(fragment).map { FrameContents.whole($0, of: fragment) } ?? .other
    }
    switch contents {
    case .datagram(let source, let destination, let payload, let originalByteCount):
      datagramCount += 1
      if payload.count < originalByteCount { cutCount += 1 }
      return Datagram(
        arrival: record.arrival, source: source, destination: destination, payload: Array(payload),
        originalByteCount: originalByteCount, isMarkedControl: false)
    case .unsupportedLinkType: unsupported[record.linkType, default: 0] += 1
    case .fragment, .other: break
    }
    return nil
  }

  private mutating func finish(_ warning: CaptureWarning?) {
    isAtEnd = true
    if let warning { warnings.append(warning) }
    for (type, packets) in unsupported.sorted(by: { $0.key < $1.key }) {
      warnings.append(.unsupportedLinkType(type, packets: packets))
    }
    if fragments.lostCount > 0 { warnings.append(.fragments(fragments.lostCount)) }
    if cutCount > 0 { warnings.append(.cutDatagrams(cutCount)) }
  }
}
