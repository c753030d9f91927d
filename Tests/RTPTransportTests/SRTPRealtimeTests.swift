import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@_noLocks
private func exchange(
  _ packetizer: inout RTPPacketizer, _ sender: inout SRTPSender, _ receiver: inout SRTPReceiver,
  _ packet: inout ByteBuffer, forge: Bool
) throws(SRTPError) -> Int {
  var bytes = packet.mutableSpan
  var size = 0
  do throws(RTPError) { size = try packetizer.finish(payloadByteCount: 160, in: &bytes) } catch { return -1 }
  let count = try sender.protect(&bytes, byteCount: size)
  if forge { bytes[20] ^= 1 }
  return try receiver.unprotect(&bytes, byteCount: count)
}

@_noLocks
private func exchangeReports(
  _ sender: inout SRTPSender, _ receiver: inout SRTPReceiver, _ packet: inout ByteBuffer
) throws(SRTPError) -> Int {
  packet[0] = 0x80
  packet[1] = 201
  for index in 4..<8 { packet[index] = index == 7 ? 7 : 0 }
  var bytes = packet.mutableSpan
  let count = try sender.protectControl(&bytes, byteCount: 32)
  return try receiver.unprotectControl(&bytes, byteCount: count)
}

@Suite struct SRTPRealtimeTests {
  @Test(arguments: SRTPProfile.allCases)
  func protectionAndForgeriesCauseNoHeapOperation(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key, sources: [7])
    var packet = ByteBuffer(repeating: 0, count: 200)
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(65_000),
      firstTimestamp: RTPTimestamp(0))
    _ = try exchange(&packetizer, &sender, &receiver, &packet, forge: false)
    _ = try? exchange(&packetizer, &sender, &receiver, &packet, forge: true)
    _ = try exchangeReports(&sender, &receiver, &packet)

    var opened = 0
    var refused = 0
    let operations = heapOperations {
      onRealtimePath {
        for round in 0..<1_000 {
          let isForged = round % 10 == 9
          do throws(SRTPError) {
            opened += try exchange(&packetizer, &sender, &receiver, &packet, forge: isForged) == 172 ? 1 : 0
            if round % 100 == 0 { opened += try exchangeReports(&sender, &receiver, &packet) == 32 ? 1 : 0 }
          } catch { refused += error == .authenticationFailed ? 1 : 0 }
        }
      }
    }
    #expect(opened == 910)
    #expect(refused == 100)
    if let operations { #expect(operations == 0) }
  }

  @Test func aSourceThatWasNotAnnouncedCostsHeapOperationsOnlyOnce() throws {
    let key = try SRTPKey.test(.aes128CounterModeSHA1x80)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    var packet = ByteBuffer(repeating: 0, count: 200)
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(1),
      firstTimestamp: RTPTimestamp(0))
    let forged = heapOperations {
      for _ in 0..<100 { _ = try? exchange(&packetizer, &sender, &receiver, &packet, forge: true) }
    }
    let first = try heapOperations { _ = try exchange(&packetizer, &sender, &receiver, &packet, forge: false) }
    let later = try heapOperations {
      for _ in 0..<100 { _ = try exchange(&packetizer, &sender, &receiver, &packet, forge: false) }
    }
    if let forged, let first, let later {
      #expect(forged == 0)
      #expect(first > 0 && first < 10, "a stream is cloned: \(first) operations")
      #expect(later == 0)
    }
  }
}
