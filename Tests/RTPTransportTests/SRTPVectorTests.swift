import CSRTPCiphers
import RTPTransport
import TestSupport
import Testing

@Suite struct SRTPVectorTests {
  /// One session's packets in order, in each direction.
  private func check(_ name: String, expectedCount: Int) throws {
    let lines = try vectorLines(name, fieldCount: 5)
    #expect(lines.count == expectedCount)
    var at = 0
    while at < lines.count {
      let session = lines[at...].prefix { $0[0] == lines[at][0] && $0[1] == lines[at][1] }
      at += session.count
      let profile = try #require(SRTPProfile(sdpName: String(session.first![0])))
      let key = try SRTPKey(profile, keyAndSalt: bytes(hex: session.first![1]))
      let first = try bytes(hex: session.first![3])
      let ssrc = first[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      var sender = try SRTPSender(key: key, ssrc: ssrc)
      var receiver = try SRTPReceiver(key: key)
      for fields in session {
        let (isControl, plain, protected) = (fields[2] == "rtcp", try bytes(hex: fields[3]), try bytes(hex: fields[4]))
        #expect(try sender.protecting(plain, control: isControl) == protected, "\(profile) \(fields[3])")
        #expect(try receiver.unprotecting(protected, control: isControl) == plain, "\(profile) \(fields[3])")
      }
    }
  }

  @Test func libsrtpReferencePacketsAreReproduced() throws {
    try check("libsrtp.txt", expectedCount: 2)
  }

  @Test func packetsOfAnIndependentImplementationAreReproducedAcrossTheRollover() throws {
    try check("packets.txt", expectedCount: 55)
  }

  @Test func ciphersGiveThePublishedAnswers() throws {
    _ = try SRTPSender(key: .test(.aes128GCM), ssrc: 1)  // starts the library
    let numbers: [Substring: Int32] = ["icm-128": 1, "icm-256": 5, "gcm-128": 6, "gcm-256": 7]
    let lines = try vectorLines("ciphers.txt", fieldCount: 6)
    #expect(lines.count == 5)
    for fields in lines {
      let cipher = try #require(numbers[fields[0]])
      let parts = try fields[1...].map { try bytes(hex: $0) }
      #expect(status(cipher, parts) == 0, "\(fields)")
      var wrong = parts
      wrong[4][0] ^= 1
      #expect(status(cipher, wrong) != 0, "a wrong answer is found out: \(fields)")
    }
  }

  private func status(_ cipher: Int32, _ parts: [[UInt8]]) -> Int32 {
    unsafe parts[0].withUnsafeBufferPointer { key in
      unsafe parts[1].withUnsafeBufferPointer { iv in
        unsafe parts[2].withUnsafeBufferPointer { associated in
          unsafe parts[3].withUnsafeBufferPointer { text in
            unsafe parts[4].withUnsafeBufferPointer { sealed in
              var answer = unsafe AntiphonCipherAnswer(
                key: key.baseAddress, key_byte_count: Int32(key.count), iv: iv.baseAddress,
                associated: associated.baseAddress, associated_byte_count: Int32(associated.count),
                text: text.baseAddress, text_byte_count: Int32(text.count), sealed: sealed.baseAddress,
                sealed_byte_count: Int32(sealed.count))
              return unsafe antiphon_srtp_check_cipher(cipher, &answer)
            }
          }
        }
      }
    }
  }
}
