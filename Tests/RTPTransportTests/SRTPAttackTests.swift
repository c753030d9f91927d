import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct SRTPAttackTests {
  @Test(arguments: SRTPProfile.allCases)
  func aFlippedBitAnywhereIsFoundOut(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    let packet = rtpPacket(sequence: 1_000, payload: Array(0..<60))
    let protected = try sender.protecting(packet)
    for bit in 0..<protected.count * 8 {
      var damaged = protected
      damaged[bit / 8] ^= 1 << (bit % 8)
      do throws(SRTPError) {
        _ = try receiver.unprotecting(damaged)
        Issue.record("bit \(bit) flipped and let in")
      } catch {
        // Some bits of the first byte make it another kind of packet, or one whose header runs over its end.
        switch error {
        case .authenticationFailed: break
        case .malformed: #expect(bit < 8, "bit \(bit)")
        default: Issue.record("bit \(bit): \(error)")
        }
      }
    }
    #expect(try receiver.unprotecting(protected) == packet, "forgeries leave no trace in the receiver")
  }

  @Test(arguments: SRTPProfile.allCases)
  func aFlippedBitInAReportIsFoundOut(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    let report: [UInt8] = [0x80, 201, 0, 4, 0, 0, 0, 7] + Array(0..<12)
    let protected = try sender.protecting(report, control: true)
    for bit in 0..<protected.count * 8 {
      var damaged = protected
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(throws: SRTPError.self, "bit \(bit)") { try receiver.unprotecting(damaged, control: true) }
    }
    #expect(try receiver.unprotecting(protected, control: true) == report)
  }

  @Test(arguments: SRTPProfile.allCases)
  func replayAndAWrongKeyAreToldApart(_ profile: SRTPProfile) throws {
    var sender = try SRTPSender(key: .test(profile), ssrc: 7)
    var receiver = try SRTPReceiver(key: .test(profile))
    var stranger = try SRTPReceiver(key: .test(profile, seed: 2))
    let packet = rtpPacket(sequence: 9, payload: [1, 2, 3])
    let protected = try sender.protecting(packet)
    #expect(throws: SRTPError.authenticationFailed) { try stranger.unprotecting(protected) }
    #expect(try receiver.unprotecting(protected) == packet)
    #expect(throws: SRTPError.replayed) { try receiver.unprotecting(protected) }
    #expect(throws: SRTPError.replayed) { try sender.protecting(packet) }
  }

  @Test func sourcesNotAnnouncedOrTooManyAreKeptOut() throws {
    let key = try SRTPKey.test(.aes128CounterModeSHA1x80)
    var announced = try SRTPReceiver(key: key, sources: [1, 2])
    var learning = try SRTPReceiver(key: key, maximumSourceCount: 2)
    for ssrc in UInt32(1)...3 {
      var sender = try SRTPSender(key: key, ssrc: ssrc)
      let packet = try sender.protecting(rtpPacket(sequence: 1, ssrc: ssrc, payload: [1]))
      if ssrc < 3 {
        #expect(try announced.unprotecting(packet).count == 13)
        #expect(try learning.unprotecting(packet).count == 13)
      } else {
        #expect(throws: SRTPError.unknownSource(3)) { try announced.unprotecting(packet) }
        #expect(throws: SRTPError.tooManySources(limit: 2)) { try learning.unprotecting(packet) }
      }
    }
  }

  @Test func forgedSourcesTakeNoPlaces() throws {
    let key = try SRTPKey.test(.aes128GCM)
    var receiver = try SRTPReceiver(key: key, maximumSourceCount: 1)
    for ssrc in UInt32(100)..<1_100 {
      let forged = rtpPacket(sequence: 1, ssrc: ssrc, payload: [UInt8](repeating: 0, count: 30))
      #expect(throws: SRTPError.authenticationFailed) { try receiver.unprotecting(forged) }
    }
    var sender = try SRTPSender(key: key, ssrc: 7)
    #expect(try receiver.unprotecting(sender.protecting(rtpPacket(sequence: 1, payload: [5]))).count == 13)
  }

  @Test(arguments: SRTPProfile.allCases)
  func cutOffPacketsAndGarbageNeverPassAndNeverTrap(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    let protected = try sender.protecting(rtpPacket(sequence: 1, payload: Array(0..<40)))
    for count in 0..<protected.count {
      #expect(throws: SRTPError.self) { try receiver.unprotecting(Array(protected[..<count])) }
    }
    var random = SeededRandom(seed: 99)
    for round in 0..<20_000 {
      var noise = (0..<Int.random(in: 0...120, using: &random)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if round % 2 == 0, !noise.isEmpty { noise[0] = 0x80 | noise[0] & 0x3F }
      #expect(throws: SRTPError.self) { try receiver.unprotecting(noise, control: round % 3 == 0) }
    }
    #expect(try receiver.unprotecting(protected).count == 52)
  }

  @Test(arguments: SRTPProfile.allCases)
  func tooLittleRoomIsReportedAndTouchesNothing(_ profile: SRTPProfile) throws {
    var sender = try SRTPSender(key: .test(profile), ssrc: 7)
    let packet = rtpPacket(sequence: 1, payload: Array(0..<40))
    for missing in 1...profile.trailerByteCount {
      var bytes = packet + [UInt8](repeating: 0, count: profile.trailerByteCount - missing)
      let before = bytes
      let needed = packet.count + profile.trailerByteCount
      do throws(SRTPError) {
        var span = bytes.mutableSpan
        _ = try sender.protect(&span, byteCount: packet.count)
        Issue.record("\(missing) bytes are missing")
      } catch {
        #expect(error == .noRoom(needed: needed, available: needed - missing))
      }
      #expect(bytes == before)
    }
  }

  @Test func whatIsNotTheSendersPacketIsRefused() throws {
    var sender = try SRTPSender(key: .test(.aes128GCM), ssrc: 7)
    #expect(throws: SRTPError.unknownSource(8)) {
      try sender.protecting(rtpPacket(sequence: 1, ssrc: 8, payload: [1]))
    }
    #expect(throws: SRTPError.malformed(byteCount: 11)) { try sender.protecting([UInt8](repeating: 0x80, count: 11)) }
  }
}
