import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// Why `bytes` are no RTP packet; `nil` when they are one.
private func refusal(_ bytes: [UInt8]) -> RTPError? {
  do throws(RTPError) {
    _ = try RTPPacket(bytes.span)
    return nil
  } catch { return error }
}

@Suite struct RTPPacketTests {
  @Test func everyFieldIsRead() throws {
    // Version 2, padding, extension, 2 contributing sources, marker, payload type 111.
    let bytes: [UInt8] =
      [0xB2, 0xEF, 0x12, 0x34, 0xDE, 0xCA, 0xFB, 0xAD, 0xCA, 0xFE, 0xBA, 0xBE]
      + [0, 0, 0, 1, 0xFF, 0, 0, 2] + [0xBE, 0xDE, 0, 1] + [0x10, 0x85, 0, 0] + [9, 8, 7] + [0, 0, 3]
    let packet = try RTPPacket(bytes.span)
    #expect(
      packet.header
        == RTPHeader(
          marker: true, payloadType: 111, sequenceNumber: SequenceNumber(0x1234),
          timestamp: RTPTimestamp(0xDECA_FBAD), ssrc: 0xCAFE_BABE))
    #expect(packet.contributingSourceCount == 2)
    #expect(packet.contributingSource(1, in: bytes.span) == 0xFF00_0002)
    #expect(packet.contributingSource(2, in: bytes.span) == nil)
    #expect(packet.extensionProfile == 0xBEDE)
    #expect(Array(bytes[packet.extensionRange]) == [0x10, 0x85, 0, 0])
    #expect(Array(bytes[packet.payloadRange]) == [9, 8, 7])
    let level = packet.audioLevel(1, in: bytes.span)
    #expect(level?.isVoice == true && level?.decibelsBelowOverload == 5)
  }

  @Test func eachWrongShapeHasItsError() {
    let good = rtpPacket(sequence: 1, payload: [1, 2, 3, 4])
    #expect(refusal(good) == nil)
    #expect(refusal(Array(good[..<12])) == nil, "an empty payload is legal")
    #expect(refusal(Array(good[..<11])) == .tooShort(byteCount: 11))
    #expect(refusal([]) == .tooShort(byteCount: 0))
    func changed(_ first: UInt8, last: UInt8? = nil) -> [UInt8] {
      var bytes = good
      bytes[0] = first
      if let last { bytes[15] = last }
      return bytes
    }
    #expect(refusal(changed(0x40)) == .wrongVersion(1))
    #expect(refusal(changed(0x82)) == .headerOverrun(needed: 20, byteCount: 16))
    #expect(refusal(changed(0x91)) == .headerOverrun(needed: 20, byteCount: 16))
    #expect(refusal(changed(0x90)) == .headerOverrun(needed: 16 + 4 * 0x0304, byteCount: 16))
    #expect(refusal(changed(0xA0, last: 0)) == .wrongPadding(count: 0, available: 4))
    #expect(refusal(changed(0xA0, last: 5)) == .wrongPadding(count: 5, available: 4))
    #expect(refusal(changed(0xA0, last: 4)) == nil, "all padding, no payload")
  }

  @Test func anyBytesAreReadWithoutATrapAndRangesStayInside() {
    var random = SeededRandom(seed: 3_550)
    var read = 0
    for round in 0..<200_000 {
      var bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if round % 4 != 0, bytes.count > 16 {
        bytes[0] = 0x80 | bytes[0] & 0x33
        if bytes[0] & 0x10 != 0 {  // an extension of a form that is known, and often short enough
          let at = 12 + 4 * Int(bytes[0] & 0x0F)
          if at + 4 <= bytes.count {
            (bytes[at], bytes[at + 1]) = round % 2 == 0 ? (0xBE, 0xDE) : (0x10, 0x03)
            (bytes[at + 2], bytes[at + 3]) = (0, bytes[at + 3] % 8)
          }
        }
      }
      guard let packet = try? RTPPacket(bytes.span) else { continue }
      read += 1
      let inside =
        packet.payloadEnd <= bytes.count && packet.payloadStart <= packet.payloadEnd
        && packet.extensionRange.upperBound <= packet.payloadStart
      if !inside { Issue.record("seed \(random.seed), round \(round): \(packet) of \(bytes)") }
      for id in UInt8(0)...16 {
        guard let range = packet.extensionElement(id, in: bytes.span) else { continue }
        if range.lowerBound < packet.extensionStart || range.upperBound > packet.payloadStart {
          Issue.record("seed \(random.seed), round \(round): element \(id) at \(range) of \(bytes)")
        }
      }
      _ = packet.audioLevel(1, in: bytes.span)
    }
    #expect(read > 40_000, "enough of the packets were to be readable: \(read)")
  }

  @Test func whatWasWrittenIsRead() throws {
    var random = SeededRandom(seed: 1)
    for _ in 0..<10_000 {
      let header = RTPHeader(
        marker: Bool.random(using: &random), payloadType: UInt8.random(in: 0...127, using: &random),
        sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: random.next())),
        timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: random.next())),
        ssrc: UInt32(truncatingIfNeeded: random.next()))
      var bytes = [UInt8](repeating: 0xFF, count: 12)
      var span = bytes.mutableSpan
      try header.write(into: &span)
      #expect(try RTPPacket(bytes.span).header == header)
    }
    var tooSmall = [UInt8](repeating: 0, count: 11)
    #expect(throws: RTPError.noRoom(needed: 12, available: 11)) {
      var span = tooSmall.mutableSpan
      try RTPHeader(payloadType: 0, sequenceNumber: SequenceNumber(0), timestamp: RTPTimestamp(0), ssrc: 0)
        .write(into: &span)
    }
  }

  @Test func bothFormsOfExtensionAreSearched() throws {
    func element(_ id: UInt8, profile: [UInt8], _ data: [UInt8]) throws -> [UInt8]? {
      var bytes = rtpPacket(sequence: 1, payload: [])
      bytes[0] |= 0x10
      bytes += profile + [0, UInt8(data.count / 4)] + data + [0xAA]
      let packet = try RTPPacket(bytes.span)
      return packet.extensionElement(id, in: bytes.span).map { Array(bytes[$0]) }
    }
    // RFC 8285 §4.2's layout: three elements with padding between.
    let oneByte: [UInt8] = [0x10, 0xA1, 0x21, 0xB1, 0xB2, 0, 0, 0x33, 0xC1, 0xC2, 0xC3, 0xC4]
    #expect(try element(1, profile: [0xBE, 0xDE], oneByte) == [0xA1])
    #expect(try element(2, profile: [0xBE, 0xDE], oneByte) == [0xB1, 0xB2])
    #expect(try element(3, profile: [0xBE, 0xDE], oneByte) == [0xC1, 0xC2, 0xC3, 0xC4])
    #expect(try element(4, profile: [0xBE, 0xDE], oneByte) == nil)
    #expect(try element(5, profile: [0xBE, 0xDE], [0xF0, 0x50, 0x50, 0x50]) == nil, "ID 15 ends the list")
    #expect(try element(5, profile: [0xBE, 0xDE], [0x5F, 1, 2, 3]) == nil, "16 bytes announced, 3 there")
    let twoByte: [UInt8] = [1, 0, 2, 1, 0xB1, 0, 3, 4, 0xC1, 0xC2, 0xC3, 0xC4]
    #expect(try element(1, profile: [0x10, 0x00], twoByte) == [])
    #expect(try element(2, profile: [0x10, 0x0F], twoByte) == [0xB1])
    #expect(try element(3, profile: [0x10, 0x00], twoByte) == [0xC1, 0xC2, 0xC3, 0xC4])
    #expect(try element(1, profile: [0x12, 0x34], twoByte) == nil, "another profile's extension")
  }

  @Test func kindsOfDatagramAreToldApart() {
    func kind(_ first: UInt8, _ second: UInt8) -> DatagramKind { DatagramKind([first, second].span) }
    #expect(kind(0x80, 0) == .rtp && kind(0x80, 0x80 | 111) == .rtp && kind(0xBF, 127) == .rtp)
    for type in UInt8(192)...223 { #expect(kind(0x80, type) == .rtcp) }
    #expect(kind(0x80, 191) == .rtp && kind(0x80, 224) == .rtp)
    #expect(kind(0, 1) == .stun && kind(20, 254) == .dtls && kind(63, 0) == .dtls && kind(64, 0) == .turnChannel)
    #expect(kind(192, 0) == .unknown && kind(10, 0) == .unknown && DatagramKind([0x80].span) == .unknown)
  }

  @Test func payloadTypesSayWhatTheyCarry() {
    let types = PayloadTypes(audio: 0, telephoneEvent: 101)
    #expect(types.content(of: 0) == .audio && types.content(of: 101) == .telephoneEvent)
    #expect(types.content(of: 13) == .comfortNoise && types.content(of: 8) == .unknown)
  }
}
