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

@_noLocks
private func throwBare(_ round: Int) throws(SRTPError) -> Int {
  if round >= 0 { throw .authenticationFailed }
  return 0
}

/// Heap operations while `body` throws 100 times, beyond those of a bare throw: Swift Testing boxes each error thrown, to
/// remember where it was.
private func heapOperationsBeyondThrowing(_ body: () throws(SRTPError) -> Int) -> Int? {
  func count(_ body: () throws(SRTPError) -> Int) -> Int? {
    heapOperations {
      for _ in 0..<100 {
        do throws(SRTPError) {
          _ = try body()
          Issue.record("a forged packet was let in")
        } catch {
          if error != .authenticationFailed { Issue.record(error) }
        }
      }
    }
  }
  guard let all = count(body), let bare = count({ () throws(SRTPError) in try throwBare(1) }) else { return nil }
  return all - bare
}

@Suite struct SRTPRealtimeTests {
  private func packetizer(from first: UInt16) -> RTPPacketizer {
    RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(first),
      firstTimestamp: RTPTimestamp(0))
  }

  @Test(arguments: SRTPProfile.allCases)
  func protectionCausesNoHeapOperation(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key, sources: [7])
    var packet = ByteBuffer(repeating: 0, count: 200)
    var packetizer = packetizer(from: 65_000)  // the rollover is among the packets
    var opened = 0
    func run(_ rounds: Int) throws(SRTPError) {
      for round in 0..<rounds {
        opened += try exchange(&packetizer, &sender, &receiver, &packet, forge: false) == 172 ? 1 : 0
        if round % 100 == 0 { opened += try exchangeReports(&sender, &receiver, &packet) == 32 ? 1 : 0 }
      }
    }
    try run(1)
    let operations = try heapOperations { try onRealtimePath { try run(1_000) } }
    #expect(opened == 1_012)
    if let operations { #expect(operations == 0) }
  }

  @Test(arguments: SRTPProfile.allCases)
  func aForgedPacketCausesNoHeapOperation(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var announced = try SRTPReceiver(key: key, sources: [7])
    var learning = try SRTPReceiver(key: key)
    var packet = ByteBuffer(repeating: 0, count: 200)
    var packetizer = packetizer(from: 0)
    _ = heapOperationsBeyondThrowing { () throws(SRTPError) in
      try exchange(&packetizer, &sender, &announced, &packet, forge: true)
    }
    let known = heapOperationsBeyondThrowing { () throws(SRTPError) in
      try exchange(&packetizer, &sender, &announced, &packet, forge: true)
    }
    let unknown = heapOperationsBeyondThrowing { () throws(SRTPError) in
      try exchange(&packetizer, &sender, &learning, &packet, forge: true)
    }
    if let known, let unknown { #expect(known == 0 && unknown == 0) }
  }

  @Test func aSourceThatWasNotAnnouncedCostsHeapOperationsOnlyOnce() throws {
    let key = try SRTPKey.test(.aes128CounterModeSHA1x80)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    var packet = ByteBuffer(repeating: 0, count: 200)
    var packetizer = packetizer(from: 1)
    let first = try heapOperations { _ = try exchange(&packetizer, &sender, &receiver, &packet, forge: false) }
    let later = try heapOperations {
      for _ in 0..<100 { _ = try exchange(&packetizer, &sender, &receiver, &packet, forge: false) }
    }
    // The real-time sanitizer has an allocator of its own, which is not counted.
    if let first, let later, !realtimeSanitizerIsLinked {
      #expect(first > 0 && first < 10, "a stream is cloned: \(first) operations")
      #expect(later == 0)
    }
  }
}
