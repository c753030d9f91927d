import RTPTransport
import RealtimeCore

/// The input is one datagram of control packets: read piece by piece, then by a session, which must go on reporting.
func fuzzRTCP(_ datagram: [UInt8]) {
  if var packets = try? RTCPDatagram(datagram.span, allowsReducedSize: true) {
    var end = 0
    while let packet = packets.next(in: datagram.span) {
      check(packet.bodyStart == end + 4 && packet.bodyEnd <= packet.end, "a body outside its packet")
      end = packet.end
      look(at: packet, of: datagram, in: datagram.span)
      // A shorter view than the packet was read from must not be read beyond.
      look(at: packet, of: datagram, in: datagram.span.extracting(first: datagram.count / 2))
    }
    check(end == datagram.count, "\(datagram.count - end) bytes were left over")
  }

  var session = RTCPSession(
    ssrc: 7, canonicalName: "a", clockRate: 48_000, ntpAtZero: NTPTimestamp(rawValue: 1 << 32),
    allowsReducedSize: true, seed: 1, at: .zero)
  try? session.receive(datagram.span, at: MediaInstant(milliseconds: 5))
  while session.nextRequestedPacket() != nil {}
  if let roundTrip = session.remoteInbound.roundTripTime { check(roundTrip >= 0, "a way of \(roundTrip) s") }
  var reception = ReceptionStatistics(clockRate: 48_000)
  var bytes = [UInt8](repeating: 0, count: 200)
  var span = bytes.mutableSpan
  let written = try? session.writeReport(
    on: 9, &reception, receivedClockRate: 48_000, into: &span, at: MediaInstant(milliseconds: 700))
  check(written?.byteCount ?? 0 > 0, "no report could be written")
}

private func look(at packet: RTCPPacket, of datagram: [UInt8], in view: Span<UInt8>) {
  _ = (packet.sender(in: view), packet.senderInfo(in: view), packet.mediaSource(in: view))
  for index in -1...32 {
    _ = (packet.reportBlock(index, in: view), packet.leavingSource(index, in: view))
    _ = packet.missingPackets(index, in: view)
  }
  if let range = packet.reasonForLeaving(in: view) { check(range.upperBound <= view.count, "a reason outside") }
  for ssrc in [packet.sender(in: view) ?? 0, 7] {
    if let range = packet.canonicalName(of: ssrc, in: view) { check(range.upperBound <= view.count, "a name outside") }
  }
}
