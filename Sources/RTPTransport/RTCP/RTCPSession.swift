public import RealtimeCore

// RFC 3550 §6 for a call: one stream sent, one or a few received. A call has two members, so the scaling of intervals by
// the number of members (§6.2) and their reconsideration (§6.3.3) have nothing to do: a report goes out after a random
// 0.5 to 1.5 times the mean interval, the first one after half of that.

/// Makes the reports of one end and reads those of the other. It is given the time and has no socket.
///
/// On arrival: `receive`, then `nextRequestedPacket` until `nil`. When `nextReport` has come: `writeReport`, protect it by
/// `SRTPSender.protectControl`, send it.
/// - Threads: any one at a time. Set-up allocates, nothing else does.
public struct RTCPSession: ~Copyable, Sendable {
  /// This end's source.
  public let ssrc: UInt32
  /// When the next report is due.
  public private(set) var nextReport: MediaInstant
  /// What the peer says of this end's stream, and how long the way to it takes.
  public private(set) var remoteInbound = RemoteInboundStatistics()
  /// What the peer says of its own stream.
  public private(set) var remoteOutbound = RemoteOutboundStatistics()
  /// Whether the peer has said goodbye for the source that sent last.
  public private(set) var hasPeerLeft = false
  /// Whether the peer uses this end's SSRC: choose another one, and say goodbye for the old (RFC 3550 §8.2).
  public private(set) var hasCollision = false
  /// Requests that did not fit, since the start.
  public private(set) var droppedRequestCount = 0

  private let canonicalName: ByteBuffer
  private let clockRate: Double
  private let meanInterval: Double
  private let ntpAtZero: NTPTimestamp
  private let allowsReducedSize: Bool
  private var random: UInt64

  private var packetsSent: UInt32 = 0
  private var octetsSent: UInt32 = 0
  private var lastTimestamp = RTPTimestamp(0)
  private var lastSent: MediaInstant?
  private var hasSentSinceReport = false
  private var hadSentBeforeReport = false

  // Of the peer's sources: which, the middle of its last sender report, when that came in nanoseconds.
  private var peers = FixedBuffer<UInt32>(repeating: 0, count: 8)
  private var lastSenderReports = FixedBuffer<UInt32>(repeating: 0, count: 8)
  private var senderReportArrivals = FixedBuffer<Int64>(repeating: 0, count: 8)
  private var peerCount = 0
  private var requests = FixedBuffer<UInt16>(repeating: 0, count: 256)
  private var requestCount = 0
  private var requestsTaken = 0

  /// Reports of a stream that has sent nothing yet.
  /// - Parameters:
  ///   - ssrc: this end's source.
  ///   - canonicalName: the same for the whole call, random (RFC 7022); of more than 255 bytes the first count.
  ///   - clockRate: ticks a second of the RTP clock of the stream sent.
  ///   - interval: mean time between reports in seconds, 0.1 to 60; browsers take 5 for audio, voice calls do well with 1.
  ///   - ntpAtZero: wall-clock time at `MediaInstant.zero`.
  ///   - allowsReducedSize: as SDP's `a=rtcp-rsize` was agreed on.
  ///   - seed: random; it spreads the reports of many calls.
  ///   - now: when the call begins.
  public init(
    ssrc: UInt32, canonicalName: String, clockRate: Int, interval: Double = 1, ntpAtZero: NTPTimestamp,
    allowsReducedSize: Bool, seed: UInt64, at now: MediaInstant
  ) {
    precondition(clockRate > 0, "RTCPSession: a clock rate of \(clockRate) Hz; give the codec's RTP clock")
    precondition((0.1...60).contains(interval), "RTCPSession: an interval of \(interval) s is outside 0.1 to 60")
    self.ssrc = ssrc
    let name = Array(canonicalName.utf8.prefix(255))
    var nameBytes = ByteBuffer(repeating: 0, count: name.count)
    for (index, byte) in name.enumerated() { nameBytes[index] = byte }
    self.canonicalName = nameBytes
    self.clockRate = Double(clockRate)
    meanInterval = interval
    self.ntpAtZero = ntpAtZero
    self.allowsReducedSize = allowsReducedSize
    random = seed
    nextReport = now
    nextReport = now.advanced(byNanoseconds: nextInterval() / 2)
  }

  /// Counts the interval to the first report from here, where the call began later than it was set up.
  @_noLocks
  public mutating func restart(at now: MediaInstant) { nextReport = now.advanced(byNanoseconds: nextInterval() / 2) }

  /// Takes note of an RTP packet that was sent.
  /// - Parameter captured: when the sample that `timestamp` names was taken.
  @_noLocks
  public mutating func didSend(timestamp: RTPTimestamp, payloadByteCount: Int, captured: MediaInstant) {
    packetsSent &+= 1
    octetsSent &+= UInt32(truncatingIfNeeded: payloadByteCount)
    lastTimestamp = timestamp
    lastSent = captured
    hasSentSinceReport = true
  }

  /// Reads a datagram of control packets, decrypted; what is wrong with it leaves everything as it was.
  @_noLocks
  public mutating func receive(_ datagram: borrowing ByteView, at now: MediaInstant) throws(RTCPError) {
    var packets = try RTCPDatagram(datagram, allowsReducedSize: allowsReducedSize)
    while let packet = packets.next(in: datagram) {
      switch packet.kind {
      case .senderReport, .receiverReport: readReport(packet, in: datagram, at: now)
      case .goodbye: readGoodbye(packet, in: datagram)
      case .negativeAcknowledgement: readRequests(packet, in: datagram)
      case .sourceDescription, .transportFeedback, .other: break
      }
    }
  }

  /// The next of this end's packets that the peer asks for again; `nil` when there is none.
  @_noLocks
  public mutating func nextRequestedPacket() -> SequenceNumber? {
    guard requestsTaken < requestCount else {
      requestsTaken = 0
      requestCount = 0
      return nil
    }
    requestsTaken &+= 1
    return SequenceNumber(requests[requestsTaken &- 1])
  }

  /// Writes a report on `source` with the canonical name behind it, and fixes when the next one is due.
  ///
  /// It is a sender report while packets go out, else a receiver report (RFC 3550 §6.4).
  /// - Parameters:
  ///   - source: the stream received; `nil` when none is known. Only one that was heard is reported on.
  ///   - reception: that stream's statistics, of which the loss since the last report is taken.
  ///   - receivedClockRate: ticks a second of its RTP clock.
  /// - Returns: a writer behind the report, to which feedback can be added.
  @_noLocks
  public mutating func writeReport(
    on source: UInt32?, _ reception: inout ReceptionStatistics, receivedClockRate: Int,
    into datagram: inout MutableSpan<UInt8>, at now: MediaInstant
  ) throws(RTCPError) -> RTCPWriter {
    var writer = RTCPWriter()
    let ntp = ntpAtZero.advanced(byNanoseconds: now.nanoseconds)
    if let lastSent, hasSentSinceReport || hadSentBeforeReport {
      let ticks = Double(now.nanoseconds(since: lastSent)) * 1e-9 * clockRate
      let info = RTCPSenderInfo(
        ntp: ntp, timestamp: lastTimestamp.advanced(by: Self.whole(ticks)), packetCount: packetsSent,
        octetCount: octetsSent)
      try writer.addSenderReport(ssrc, info, into: &datagram)
    } else {
      try writer.addReceiverReport(ssrc, into: &datagram)
    }
    if let source, reception.packetsReceived > 0 {
      let (lastSenderReport, arrival) = lastSenderReport(of: source)
      let delay = lastSenderReport == 0 ? 0 : Double(now.nanoseconds &- arrival) * 65_536e-9
      let block = RTCPReportBlock(
        ssrc: source, fractionLost: reception.takeFractionLost(), packetsLost: reception.packetsLost,
        extendedHighestSequenceNumber: reception.sequence.extendedHighestSequenceNumber,
        jitter: UInt32(truncatingIfNeeded: Self.whole(reception.jitter * Double(receivedClockRate))),
        lastSenderReport: lastSenderReport,
        delaySinceLastSenderReport: UInt32(truncatingIfNeeded: Self.whole(delay)))
      try writer.addBlock(block, into: &datagram)
    }
    try writer.addCanonicalName(canonicalName.view, of: ssrc, into: &datagram)
    hadSentBeforeReport = hasSentSinceReport
    hasSentSinceReport = false
    nextReport = now.advanced(byNanoseconds: nextInterval())
    return writer
  }

  /// Writes the last datagram of the call: an empty report, the name, and a goodbye (RFC 3550 §6.6).
  /// - Returns: its size.
  @_noLocks
  public mutating func writeGoodbye(
    reason: borrowing ByteView, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int {
    try Self.writeGoodbye(of: ssrc, canonicalName, reason: reason, into: &datagram)
  }

  /// As `writeGoodbye(reason:into:)` without a reason.
  @_noLocks
  public mutating func writeGoodbye(into datagram: inout MutableSpan<UInt8>) throws(RTCPError) -> Int {
    try Self.writeGoodbye(of: ssrc, canonicalName, reason: canonicalName.view(0..<0), into: &datagram)
  }

  @_noLocks
  private static func writeGoodbye(
    of ssrc: UInt32, _ canonicalName: borrowing ByteBuffer, reason: borrowing ByteView,
    into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int {
    var writer = RTCPWriter()
    try writer.addReceiverReport(ssrc, into: &datagram)
    try writer.addCanonicalName(canonicalName.view, of: ssrc, into: &datagram)
    try writer.addGoodbye(ssrc, reason: reason, into: &datagram)
    return writer.byteCount
  }

  @_noLocks
  private mutating func readReport(_ packet: RTCPPacket, in datagram: borrowing ByteView, at now: MediaInstant) {
    guard let sender = packet.sender(in: datagram) else { return }
    if sender == ssrc {
      hasCollision = true
      return
    }
    hasPeerLeft = false
    if let info = packet.senderInfo(in: datagram) {
      remoteOutbound.update(info, at: now)
      note(sender, info.ntp.middle, at: now)
    }
    for index in 0..<packet.count {
      guard let block = packet.reportBlock(index, in: datagram) else { return }
      if block.ssrc == ssrc {
        let arrival = ntpAtZero.advanced(byNanoseconds: now.nanoseconds)
        remoteInbound.update(block, clockRate: clockRate, roundTripTime: block.roundTripTime(at: arrival))
      }
    }
  }

  @_noLocks
  private mutating func readGoodbye(_ packet: RTCPPacket, in datagram: borrowing ByteView) {
    for index in 0..<packet.count {
      guard let leaving = packet.leavingSource(index, in: datagram) else { return }
      if leaving != ssrc { hasPeerLeft = true }
    }
  }

  @_noLocks
  private mutating func readRequests(_ packet: RTCPPacket, in datagram: borrowing ByteView) {
    guard packet.mediaSource(in: datagram) == ssrc else { return }
    var index = 0
    while let missing = packet.missingPackets(index, in: datagram) {
      addRequest(missing.first)
      for bit in 0..<16 where missing.following &>> UInt16(truncatingIfNeeded: bit) & 1 == 1 {
        addRequest(missing.first.advanced(by: bit &+ 1))
      }
      index &+= 1
    }
  }

  @_noLocks
  private mutating func addRequest(_ number: SequenceNumber) {
    remoteInbound.requestedPackets &+= 1
    guard requestCount < requests.count else {
      droppedRequestCount &+= 1
      return
    }
    requests[requestCount] = number.rawValue
    requestCount &+= 1
  }

  /// Remembers a sender report; beyond eight sources the last place goes to the newest.
  @_noLocks
  private mutating func note(_ sender: UInt32, _ lastSenderReport: UInt32, at now: MediaInstant) {
    var index = 0
    while index < peerCount, peers[index] != sender { index &+= 1 }
    if index == peerCount {
      if peerCount < peers.count { peerCount &+= 1 } else { index = peers.count &- 1 }
    }
    peers[index] = sender
    lastSenderReports[index] = lastSenderReport
    senderReportArrivals[index] = now.nanoseconds
  }

  @_noLocks
  private func lastSenderReport(of ssrc: UInt32) -> (middle: UInt32, arrival: Int64) {
    for index in 0..<peerCount where peers[index] == ssrc {
      return (lastSenderReports[index], senderReportArrivals[index])
    }
    return (0, 0)
  }

  /// SplitMix64 (Steele et al. 2014), as nanoseconds of 0.5 to 1.5 intervals.
  @_noLocks
  private mutating func nextInterval() -> Int64 {
    random &+= 0x9E37_79B9_7F4A_7C15
    var z = random
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    let share = Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
    return Int64(meanInterval * (0.5 + share) * 1e9)
  }

  /// The nearest whole number at or below, within what 63 bits hold.
  @_noLocks
  private static func whole(_ value: Double) -> Int {
    guard value.magnitude < 9e18 else { return 0 }
    return Int(value)
  }
}
