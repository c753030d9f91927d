import RTPTransport
import RealtimeCore

/// The input is one datagram.
func fuzzRTP(_ datagram: [UInt8]) throws {
  let kind = DatagramKind(datagram.span)
  guard let packet = try? RTPPacket(datagram.span) else { return }
  switch kind {
  case .rtp, .rtcp: break
  default: fatalError("an RTP packet was taken for \(kind)")
  }

  check(packet.extensionStart <= packet.payloadStart, "the extension begins behind the payload")
  check(packet.payloadStart <= packet.payloadEnd && packet.payloadEnd <= datagram.count, "the payload lies outside")
  check(packet.header.payloadType < 128, "a payload type of 8 bits")
  for id in UInt8.min...UInt8.max {
    guard let range = packet.extensionElement(id, in: datagram.span) else { continue }
    check(
      range.lowerBound >= packet.extensionStart && range.upperBound <= packet.payloadStart,
      "extension element \(id) lies at \(range), outside the extension")
    if let level = packet.audioLevel(id, in: datagram.span) {
      check((0...127).contains(level.decibelsBelowOverload), "a level of \(level.decibelsBelowOverload) dB")
    }
  }
  for index in -1...16 {
    let isThere = packet.contributingSource(index, in: datagram.span) != nil
    check(isThere == (0..<packet.contributingSourceCount).contains(index), "contributing source \(index)")
  }

  // A shorter view than the packet was read from must not be read beyond.
  let half = datagram.span.extracting(first: datagram.count / 2)
  for id in UInt8.min...UInt8.max { _ = packet.extensionElement(id, in: half) }
  for index in 0..<16 { _ = packet.contributingSource(index, in: half) }

  var written = [UInt8](repeating: 0, count: 12)
  var span = written.mutableSpan
  try packet.header.write(into: &span)
  check(written[1...] == datagram[1..<12], "a header was not written as it was read")
}
