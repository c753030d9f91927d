internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore

/// The engine's RTCP: reports and goodbyes both ways, requests for lost packets and their answers, arrival feedback, and
/// what follows from the far end's reports for the bitrate.
///
///     control datagram → SRTCP (receiver) → receive ┐
///     packets sent → didSend                        ├→ next: repeated packets, feedback, reports → SRTCP (sender) → wire
///     jitter buffer's missing numbers ──────────────┘
struct ControlPath: ~Copyable {
  private let settings: ControlSettings
  private let receivedClockRate: Int
  private var session: RTCPSession
  private var sent: RetransmissionBuffer
  private var bitrate: BitrateControl?
  private var missing = FixedBuffer<UInt16>(repeating: 0, count: 64)

  private var nextRequests = MediaInstant.zero
  private var nextFeedback = MediaInstant.zero
  private var hasTimes = false
  private var reportsSeen = 0
  private var hasToldLeaving = false
  private var hasToldCollision = false
  private(set) var nackCount = 0
  private(set) var malformedPackets = 0

  /// Missing packets are looked for this often, and arrivals reported this often.
  private static var requestInterval: Int64 { @_noLocks get { 5_000_000 } }
  private static var feedbackInterval: Int64 { @_noLocks get { 100_000_000 } }

  /// - Parameter packetByteCount: of the longest packet that is sent.
  init(_ settings: ControlSettings, of engine: MediaEngineSettings, packetByteCount: Int) {
    self.settings = settings
    receivedClockRate = engine.receiveFormat.clockRate
    session = RTCPSession(
      ssrc: engine.stream.ssrc, canonicalName: settings.canonicalName, clockRate: engine.sendFormat.clockRate,
      interval: settings.interval, ntpAtZero: settings.ntpAtZero, allowsReducedSize: settings.allowsReducedSize,
      seed: settings.seed, at: .zero)
    sent = RetransmissionBuffer(
      packetCapacity: settings.retransmits ? 64 : 1, maximumPacketSize: packetByteCount)
    bitrate = settings.bitrateRange.map { range in
      var start = 32_000
      if case .bitsPerSecond(let wished) = engine.opus.bitrate { start = wished }
      return BitrateControl(bounds: range, start: start)
    }
  }

  /// What the far end says of what is sent, and how long the way there and back takes.
  var remoteInbound: RemoteInboundStatistics { @_noLocks get { session.remoteInbound } }
  /// What the far end says of what it sends.
  var remoteOutbound: RemoteOutboundStatistics { @_noLocks get { session.remoteOutbound } }
  var retransmittedPacketsSent: Int { @_noLocks get { sent.retransmittedPacketsSent } }
  var retransmittedBytesSent: Int { @_noLocks get { sent.retransmittedBytesSent } }
  /// What Opus sends with at the far end's word; 0 when that does not count.
  var targetBitrate: Int { @_noLocks get { bitrate?.bitrate ?? 0 } }

  /// Takes note of an RTP packet as it goes out.
  /// - Parameter captured: when its first sample was taken.
  @_noLocks
  mutating func didSend(
    _ packet: borrowing ByteView, payloadByteCount: Int, captured: MediaInstant, at now: MediaInstant
  ) {
    // This end wrote the header: its numbers stand in fixed places, SRTP or not (RFC 3550 §5.1).
    let timestamp = UInt32(packet[4]) << 24 | UInt32(packet[5]) << 16 | UInt32(packet[6]) << 8 | UInt32(packet[7])
    session.didSend(timestamp: RTPTimestamp(timestamp), payloadByteCount: payloadByteCount, captured: captured)
    guard settings.retransmits else { return }
    sent.store(packet, number: SequenceNumber(UInt16(packet[2]) << 8 | UInt16(packet[3])), at: now)
  }

  /// Reads a datagram of control packets, opened.
  @_noLocks
  mutating func receive(
    _ datagram: borrowing ByteView, at now: MediaInstant, adapting sender: inout PacketSender,
    _ events: inout EventQueue
  ) {
    do throws(RTCPError) {
      try session.receive(datagram, at: now)
    } catch {
      malformedPackets &+= 1
      return
    }
    if session.hasPeerLeft != hasToldLeaving {
      hasToldLeaving = session.hasPeerLeft
      if hasToldLeaving { events.append(.remoteStreamEnded) }
    }
    if session.hasCollision, !hasToldCollision {
      hasToldCollision = true
      events.append(.sourceCollision)
    }
    let report = session.remoteInbound
    guard report.reportsReceived != reportsSeen, bitrate != nil else { return }
    reportsSeen = report.reportsReceived
    bitrate!.update(fractionLost: report.fractionLost, roundTripTime: report.roundTripTime, at: now)
    sender.setBitrate(bitrate!.bitrate)
    sender.setExpectedPacketLoss(bitrate!.expectedLossPercent)
  }

  /// Writes the next datagram that is due to the front of `datagram`, protected.
  /// - Returns: its size; 0 when nothing is due.
  @_noLocks
  mutating func next(
    into datagram: inout MutableSpan<UInt8>, at now: MediaInstant, _ receiver: inout PacketReceiver,
    _ jitterBuffer: inout JitterBuffer, protectedBy sender: inout PacketSender
  ) -> Int {
    begin(at: now)
    let repeated = nextRepeatedPacket(into: &datagram, at: now)
    if repeated > 0 { return repeated }
    // Protection makes a datagram longer: its room is kept free.
    let trailer = sender.controlTrailerByteCount
    guard datagram.count > trailer else { return 0 }
    var room = datagram.part(0..<(datagram.count &- trailer))
    var byteCount = 0
    do throws(RTCPError) {
      byteCount = try write(into: &room, at: now, &receiver, &jitterBuffer)
    } catch {
      return 0  // the buffer is too short for a report; it comes when a longer one is given
    }
    guard byteCount > 0 else { return 0 }
    return sender.protectControl(&datagram, byteCount: byteCount)
  }

  /// The axis of time may begin anywhere: the first call fixes when the first report is due.
  @_noLocks
  private mutating func begin(at now: MediaInstant) {
    guard !hasTimes else { return }
    hasTimes = true
    session.restart(at: now)
    nextRequests = now
    nextFeedback = now
  }

  @_noLocks
  private mutating func nextRepeatedPacket(into datagram: inout MutableSpan<UInt8>, at now: MediaInstant) -> Int {
    while let number = session.nextRequestedPacket() {
      let byteCount = sent.repeatPacket(
        number, roundTripTime: session.remoteInbound.roundTripTime ?? 0.01, at: now, into: &datagram)
      if byteCount > 0 { return byteCount }
    }
    return 0
  }

  /// A report if one is due, and feedback behind it; feedback alone where that is allowed, else with a report.
  @_noLocks
  private mutating func write(
    into datagram: inout MutableSpan<UInt8>, at now: MediaInstant, _ receiver: inout PacketReceiver,
    _ jitterBuffer: inout JitterBuffer
  ) throws(RTCPError) -> Int {
    let requestCount = findMissing(in: &jitterBuffer, at: now)
    let reportsArrivals = now >= nextFeedback && receiver.hasTransportFeedback
    let isReportDue = now >= session.nextReport
    guard isReportDue || requestCount > 0 || reportsArrivals else { return 0 }

    var writer = RTCPWriter()
    if isReportDue || !settings.allowsReducedSize {
      writer = try session.writeReport(
        on: receiver.source, &receiver.reception, receivedClockRate: receivedClockRate, into: &datagram, at: now)
    }
    if requestCount > 0, let source = receiver.source {
      try writer.addMissingPacket(SequenceNumber(missing[0]), of: source, from: session.ssrc, into: &datagram)
      var index = 1
      while index < requestCount {
        try writer.addFurtherMissingPacket(SequenceNumber(missing[index]), into: &datagram)
        index &+= 1
      }
      nackCount &+= 1
    }
    if reportsArrivals {
      try receiver.writeTransportFeedback(from: session.ssrc, with: &writer, into: &datagram)
      nextFeedback = now.advanced(byNanoseconds: Self.feedbackInterval)
    }
    return writer.byteCount
  }

  @_noLocks
  private mutating func findMissing(in jitterBuffer: inout JitterBuffer, at now: MediaInstant) -> Int {
    guard settings.retransmits, now >= nextRequests else { return 0 }
    nextRequests = now.advanced(byNanoseconds: Self.requestInterval)
    // Both ends may look at their sockets only every 10 ms: an answer takes that much longer than the way.
    let roundTrip = Int64((session.remoteInbound.roundTripTime ?? 0.1) * 1e9) &+ 20_000_000
    return Self.missing(in: &jitterBuffer, into: &missing, roundTrip: roundTrip, at: now)
  }

  @_noLocks
  private static func missing(
    in jitterBuffer: inout JitterBuffer, into missing: inout FixedBuffer<UInt16>, roundTrip: Int64, at now: MediaInstant
  ) -> Int {
    var numbers = missing.mutableSpan
    return jitterBuffer.retransmissionRequests(into: &numbers, roundTripNanoseconds: roundTrip, at: now)
  }

  /// Writes the goodbye, protected; 0 when it does not fit.
  @_noLocks
  mutating func writeGoodbye(into datagram: inout MutableSpan<UInt8>, protectedBy sender: inout PacketSender) -> Int {
    let trailer = sender.controlTrailerByteCount
    guard datagram.count > trailer else { return 0 }
    var room = datagram.part(0..<(datagram.count &- trailer))
    var byteCount = 0
    do throws(RTCPError) {
      byteCount = try session.writeGoodbye(into: &room)
    } catch {
      return 0
    }
    return sender.protectControl(&datagram, byteCount: byteCount)
  }
}
