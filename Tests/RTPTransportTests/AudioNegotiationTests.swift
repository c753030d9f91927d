import RTPTransport
import TestSupport
import Testing

@Suite struct AudioNegotiationTests {
  private func local(_ seed: UInt8, codecs: [SDPCodec] = SDPCodec.voice) -> LocalAudio {
    LocalAudio(
      ssrc: 0x1000_0000 + UInt32(seed), canonicalName: "name\(seed)",
      ice: ICECredentials(usernameFragment: "frag\(seed)", password: String(repeating: "p\(seed)", count: 12)),
      fingerprint: CertificateFingerprint(.sha256, digest: [UInt8](repeating: seed, count: 32)), codecs: codecs)
  }

  private func pair() -> (AudioNegotiation, AudioNegotiation) {
    (AudioNegotiation(sessionID: 1, local: local(1)), AudioNegotiation(sessionID: 2, local: local(2)))
  }

  /// Over text, as a signalling channel carries it.
  private func sent(_ session: SDPSession) throws -> SDPSession { try SDPSession(session.text) }

  private func exchange(_ offerer: inout AudioNegotiation, _ answerer: inout AudioNegotiation) throws -> (
    offer: SDPSession, answer: SDPSession
  ) {
    let offer = try sent(offerer.makeOffer())
    let answer = try sent(answerer.accept(offer: offer))
    try offerer.accept(answer: answer)
    return (offer, answer)
  }

  @Test func twoEndsAgree() throws {
    var (first, second) = pair()
    first.local.candidates = [
      ICECandidate(foundation: "1", priority: 5, address: "192.0.2.1", port: 4_000, kind: .host),
      ICECandidate(foundation: "2", priority: 4, address: "198.51.100.1", port: 4_001, kind: .serverReflexive),
    ]
    first.local.isEndOfCandidates = true
    first.local.maximumPacketTime = 60
    let (offer, answer) = try exchange(&first, &second)
    #expect(offer.media[0].port == 4_001 && offer.media[0].connection?.address == "198.51.100.1")
    #expect(answer.media[0].port == 9 && answer.media[0].formats == ["111", "63", "110"])
    #expect(answer.groups("BUNDLE") == [["0"]])

    let here = try #require(first.negotiated)
    let there = try #require(second.negotiated)
    #expect(here.codec.encoding == "opus" && there.codec.encoding == "opus")
    #expect(here.isDTLSClient == false && there.isDTLSClient == true)
    let numbers = PayloadTypes(audio: 111, telephoneEvent: 110, comfortNoise: nil, redundantAudio: 63)
    #expect(here.sending == numbers && here.receiving == numbers && there.sending == numbers)
    #expect(there.remoteCandidates == first.local.candidates && there.isRemoteEndOfCandidates)
    #expect(there.maximumPacketTime == 60)
    #expect(here.remoteICE == second.local.ice && there.remoteFingerprints == [first.local.fingerprint])
    #expect(here.remoteSources == [0x1000_0002] && here.remoteCanonicalName == "name2")
    #expect(
      here.headerExtensionID(HeaderExtension.transportSequence) == 2 && here.feedback == ["transport-cc", "nack"])
    #expect(here.direction == .sendReceive && here.hasReducedSizeRTCP)
  }

  @Test func holdAndResumeChangeTheDirectionOnly() throws {
    var (first, second) = pair()
    let before = try exchange(&first, &second)
    let roles = try #require(first.negotiated).isDTLSClient
    first.local.direction = .sendOnly
    let hold = try exchange(&first, &second)
    #expect(hold.offer.origin.version == before.offer.origin.version + 1)
    #expect(hold.offer.media[0].direction == .sendOnly && hold.answer.media[0].direction == .receiveOnly)
    #expect(first.negotiated?.direction == .sendOnly && second.negotiated?.direction == .receiveOnly)
    #expect(hold.answer.media[0].sources.isEmpty)
    second.local.direction = .inactive
    _ = try exchange(&first, &second)
    #expect(first.negotiated?.direction == .inactive)
    first.local.direction = .sendReceive
    second.local.direction = .sendReceive
    _ = try exchange(&second, &first)
    #expect(first.negotiated?.direction == .sendReceive)
    // The other end offered this time; each keeps its part, since the certificates are the same.
    #expect(first.negotiated?.isDTLSClient == roles)
  }

  @Test func anUnchangedOfferKeepsItsVersion() throws {
    var (first, second) = pair()
    let once = try exchange(&first, &second).offer
    let twice = try exchange(&first, &second).offer
    #expect(once == twice)
    first.local.ice = ICECredentials(usernameFragment: "new1", password: String(repeating: "n", count: 24))
    let earlier = try #require(second.negotiated)
    let restarted = try exchange(&first, &second).offer
    #expect(restarted.origin.version == twice.origin.version + 1)
    #expect(second.negotiated?.restartsICE(since: earlier) == true)
    #expect(second.negotiated?.restartsDTLS(since: earlier) == false)
  }

  @Test(arguments: [
    ("chromium-offer", "opus"), ("chromium-offer-bare", "opus"), ("firefox-shaped-offer", "opus"),
    ("safari-shaped-offer", "opus"), ("aiortc-offer", "opus"), ("freeswitch-shaped-offer", "PCMU"),
    ("chromium-hold-offer", "opus"), ("chromium-restart-av-offer", "opus"),
  ])
  func offersOfOthersAreAnswered(_ name: String, codec: String) throws {
    var end = AudioNegotiation(sessionID: 3, local: local(3))
    let offer = try SDPFiles.session(name)
    let answer = try sent(end.accept(offer: offer))
    let negotiated = try #require(end.negotiated)
    #expect(negotiated.codec.encoding == codec && negotiated.isDTLSClient)
    #expect(answer.media.count == offer.media.count)
    for (theirs, ours) in zip(offer.media, answer.media) {
      #expect(ours.kind == theirs.kind && ours.mid == theirs.mid && ours.transport == theirs.transport)
      #expect((ours.port != 0) == (ours.kind == "audio"))
    }
    #expect(answer.setup(ofMedia: 0) == .active)
    #expect(answer.media[0].codecs.first?.map.encoding == codec)
    // A later offer of this end uses the peer's numbers.
    let again = try end.makeOffer()
    #expect(again.media.count == offer.media.count)
    #expect(again.media[0].codecs.contains { $0.map == negotiated.codec })
    #expect(Set(again.media[0].formats).count == again.media[0].formats.count)
    if let red = again.media[0].codecs.first(where: { $0.map.encoding == "red" }) {
      let opus = try #require(again.media[0].codecs.first { $0.map.encoding == "opus" }).map.payloadType
      #expect(red.parameters.text == "\(opus)/\(opus)")
    }
  }

  @Test(arguments: ["chromium-answer", "telnyx-shaped-answer", "janus-shaped-answer", "aiortc-answer"])
  func answersOfOthersAreAccepted(_ name: String) throws {
    var end = AudioNegotiation(sessionID: 3, local: local(3))
    _ = try end.makeOffer()
    try end.accept(answer: SDPFiles.session(name))
    let negotiated = try #require(end.negotiated)
    #expect(negotiated.codec.encoding == "opus" && !negotiated.isDTLSClient && !end.hasOffered)
    // aiortc's answer was to another offer than this one, with Opus under 96; the peer writes what this end offered.
    #expect(negotiated.sending.audio == (name.hasPrefix("aiortc") ? 96 : 111) && negotiated.receiving.audio == 111)
  }

  @Test func holdOfABrowserIsSeen() throws {
    var end = AudioNegotiation(sessionID: 3, local: local(3))
    _ = try end.accept(offer: SDPFiles.session("chromium-offer"))
    let before = try #require(end.negotiated)
    let answer = try end.accept(offer: SDPFiles.session("chromium-hold-offer"))
    let after = try #require(end.negotiated)
    #expect(after.direction == .receiveOnly && answer.media[0].direction == .receiveOnly)
    #expect(!after.restartsICE(since: before) && !after.restartsDTLS(since: before))
    _ = try end.accept(offer: SDPFiles.session("chromium-restart-av-offer"))
    #expect(end.negotiated?.restartsICE(since: after) == true)
  }

  @Test func whatCannotBeAgreedOnSaysWhyAndChangesNothing() throws {
    let text = try SDPFiles.text("chromium-offer")
    func without(_ prefix: String) throws -> SDPSession {
      try SDPSession(text.split(separator: "\r\n").filter { !$0.hasPrefix(prefix) }.joined(separator: "\r\n"))
    }
    var end = AudioNegotiation(sessionID: 3, local: local(3))
    #expect(throws: SDPError.noRTCPMultiplexing) { _ = try end.accept(offer: without("a=rtcp-mux")) }
    #expect(throws: SDPError.noICECredentials) { _ = try end.accept(offer: without("a=ice-pwd")) }
    #expect(throws: SDPError.noFingerprint) { _ = try end.accept(offer: without("a=fingerprint")) }
    #expect(throws: SDPError.noAudio) { _ = try end.accept(offer: without("m=audio")) }
    end.local.codecs = [SDPCodec(RTPMap(payloadType: 100, encoding: "speex", clockRate: 16_000))]
    #expect(
      throws: SDPError.noCommonCodec(
        offered: ["opus", "red", "G722", "PCMU", "PCMA", "CN", "telephone-event", "telephone-event"])
    ) { _ = try end.accept(offer: SDPSession(text)) }
    #expect(end.negotiated == nil)
    #expect(throws: SDPError.self) { try end.accept(answer: SDPSession(text)) }

    var offerer = AudioNegotiation(sessionID: 4, local: local(4))
    _ = try offerer.makeOffer()
    #expect(throws: SDPError.impossibleSetup("actpass")) { try offerer.accept(answer: SDPSession(text)) }
    #expect(throws: SDPError.answerDoesNotFit("3 m= lines instead of 1")) {
      try offerer.accept(answer: SDPFiles.session("chromium-restart-av-offer"))
    }
    #expect(throws: SDPError.self) { _ = try offerer.accept(offer: SDPSession(text)) }
    #expect(throws: SDPError.self) { _ = try offerer.makeOffer() }
    offerer.rollBack()
    #expect(try offerer.accept(offer: SDPSession(text)).media.count == 1)
  }
}
