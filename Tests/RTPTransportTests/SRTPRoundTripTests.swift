import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct SRTPRoundTripTests {
  @Test(arguments: SRTPProfile.allCases)
  func unprotectUndoesProtect(_ profile: SRTPProfile) throws {
    let key = try SRTPKey(profile, keyAndSalt: Array(1...UInt8(profile.keyByteCount + profile.saltByteCount)))
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(65_000),
      firstTimestamp: RTPTimestamp(0))
    var buffer = ByteBuffer(repeating: 0, count: 1_500)
    for _ in 0..<1_000 {
      var packet = buffer.mutableSpan
      let size = try packetizer.finish(payloadByteCount: 160, in: &packet)
      let protected = try sender.protect(&packet, byteCount: size)
      #expect(protected == size + profile.trailerByteCount)
      #expect(try receiver.unprotect(&packet, byteCount: protected) == size)
    }
  }
}
