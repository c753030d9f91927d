import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct SRTPRoundTripTests {
  @Test(arguments: SRTPProfile.allCases)
  func unprotectUndoesProtectOver100000NumbersAndRandomSizes(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var random = SeededRandom(seed: 20_260_101)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key, sources: [7])
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 111, ticksPerFrame: 960, firstSequenceNumber: SequenceNumber(30_000),
      firstTimestamp: RTPTimestamp(.max - 9_600))
    var packet = ByteBuffer(repeating: 0, count: 1_500)
    var plain = ByteBuffer(repeating: 0, count: 1_500)
    var wrong = 0
    for round in 0..<100_000 {
      let payload = round % 16 == 0 ? Int.random(in: 1...1_400, using: &random) : 20 + round % 140
      packet[RTPHeader.byteCount] = UInt8(truncatingIfNeeded: random.next())
      var bytes = packet.mutableSpan
      let size = try packetizer.finish(payloadByteCount: payload, in: &bytes)
      plain.copy(packet.view(0..<size), to: 0)
      var protected = packet.mutableSpan
      let count = try sender.protect(&protected, byteCount: size)
      if round % 31 == 5 { continue }  // lost on the way
      let opened = try receiver.unprotect(&protected, byteCount: count)
      if count != size + profile.trailerByteCount || opened != size { wrong += 1 }
      for index in 0..<size where packet[index] != plain[index] { wrong += 1 }
    }
    #expect(wrong == 0)
  }

  @Test(arguments: SRTPProfile.allCases)
  func controlPacketsSurviveToo(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    var random = SeededRandom(seed: 4)
    for words in 0..<100 {
      let report: [UInt8] =
        [0x80, 201, 0, UInt8(words + 1), 0, 0, 0, 7]
        + (0..<4 * words).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let protected = try sender.protecting(report, control: true)
      #expect(protected.count == report.count + profile.controlTrailerByteCount)
      #expect(try receiver.unprotecting(protected, control: true) == report)
      #expect(throws: SRTPError.replayed) { try receiver.unprotecting(protected, control: true) }
    }
  }

  @Test func disorderWithinTheReplayWindowIsLetIn() throws {
    let key = try SRTPKey.test(.aes128CounterModeSHA1x80)
    var sender = try SRTPSender(key: key, ssrc: 7)
    var receiver = try SRTPReceiver(key: key)
    var protected: [[UInt8]] = []
    for sequence in UInt16(1_000)..<1_300 {
      protected.append(try sender.protecting(rtpPacket(sequence: sequence, payload: [1, 2, 3])))
    }
    _ = try receiver.unprotecting(protected[0])
    _ = try receiver.unprotecting(protected[299])
    #expect(try receiver.unprotecting(protected[299 - 127]).count == 15)
    #expect(throws: SRTPError.tooOld) { try receiver.unprotecting(protected[299 - 128]) }
  }

  @Test func aKeyReadFromSDPIsTheSameKey() throws {
    for profile in SRTPProfile.allCases {
      let key = try SRTPKey.test(profile)
      #expect(try SRTPKey(profile, inline: key.inline) == key)
      #expect(try SRTPKey(profile, inline: key.inline + "|2^20") == key)
      let bare = key.inline.dropFirst("inline:".count).filter { $0 != "=" }
      #expect(try SRTPKey(profile, inline: bare) == key)
      #expect(SRTPProfile(sdpName: profile.sdpName) == profile)
    }
  }

  @Test func aKeyThatCannotServeIsRefused() throws {
    let text = try SRTPKey.test(.aes128CounterModeSHA1x80).inline
    #expect(throws: SRTPError.keyIdentifierUnsupported) {
      try SRTPKey(.aes128CounterModeSHA1x80, inline: text + "|2^20|1:4")
    }
    #expect(throws: SRTPError.wrongKeyLength(byteCount: 30, needed: 44)) { try SRTPKey(.aes256GCM, inline: text) }
    #expect(throws: SRTPError.wrongKeyLength(byteCount: 0, needed: 30)) {
      try SRTPKey(.aes128CounterModeSHA1x80, inline: "")
    }
    #expect(throws: SRTPError.keyNotBase64) { try SRTPKey(.aes128GCM, inline: "inline:????") }
  }

  @Test func noWayOfPrintingAKeyShowsIt() throws {
    let key = try SRTPKey(.aes128GCM, keyAndSalt: [UInt8](repeating: 0xA7, count: 28))
    var dumped = ""
    dump(key, to: &dumped)
    for text in ["\(key)", String(reflecting: key), dumped, "\(["key": key])"] {
      #expect(!text.contains("167") && !text.lowercased().contains("a7") && text.contains("GCM"), "\(text)")
    }
  }
}
