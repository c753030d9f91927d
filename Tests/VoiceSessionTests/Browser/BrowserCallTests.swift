import AudioDevices
import MediaEngine
import Networking
import RTPTransport
import TestPeers
import TestSupport
import Testing

@testable import VoiceSession

/// Calls with Chromium, which nobody here has written: sound both ways, and what each end says of the other.
@Suite("Browser calls", .serialized, .timeLimit(.minutes(2)))
struct BrowserCallTests {
  @Test("a tone is heard both ways, whoever offers", arguments: [true, false])
  func toneBothWays(browserOffers: Bool) async throws {
    let call = try await BrowserCall()
    try await call.connect(browserOffers: browserOffers)
    try await call.hear(seconds: 3)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    #expect(call.ours.heardFrequency() == 700)

    // Each end's statistics agree with the other's.
    let ours = try #require(await call.ours.connection.snapshot?.statistics)
    let theirs = call.browser
    #expect(ours.inboundRTP.packetsLost == 0 && ours.faults.unauthenticPackets == 0)
    #expect(try await theirs.statistic("packetsLost", of: "inbound-rtp") == 0)
    let received = try await theirs.statistic("packetsReceived", of: "inbound-rtp")
    #expect(abs(received - Double(ours.outboundRTP.packetsSent)) < 25)
    let concealed = try await theirs.statistic("concealedSamples", of: "inbound-rtp")
    let played = try await theirs.statistic("totalSamplesReceived", of: "inbound-rtp")
    #expect(concealed < 0.05 * played)

    // Our receiver reports are read by the browser, and its by us.
    #expect(try await theirs.statistic("fractionLost", of: "remote-inbound-rtp") == 0)
    let roundTrip = try await theirs.statistic("roundTripTime", of: "remote-inbound-rtp")
    #expect((0..<0.2).contains(roundTrip))
    #expect((0..<0.2).contains(try #require(ours.remoteInboundRTP.roundTripTime)))
    #expect(ours.remoteOutboundRTP.reportsSent > 0)
    let level = try await theirs.statistic("audioLevel", of: "inbound-rtp")
    #expect((0.1...0.5).contains(level))
    await call.close()
  }

  @Test("keys that the browser presses are told")
  func keys() async throws {
    let call = try await BrowserCall()
    try await call.connect()
    let told = Task {
      var keys = ""
      for await event in call.ours.connection.events {
        if case .media(.keyReleased(let code, _)) = event { keys.append(TelephoneEvent.key(of: code) ?? "?") }
        if keys.count == 4 { break }
      }
      return keys
    }
    try await call.browser.browser.run("sender.dtmf.insertDTMF('19*#', 100, 70)")
    #expect(await told.value == "19*#")
    #expect(await call.ours.connection.send(.pressKey(code: 5, milliseconds: 200)))
    try await call.hear(seconds: 1)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    await call.close()
  }

  @Test("redundant audio both ways")
  func redundantAudio() async throws {
    let call = try await BrowserCall { $0.redundancyLevels = 1 }
    try await call.browser.browser.run(
      """
      (() => {
        const codecs = RTCRtpReceiver.getCapabilities("audio").codecs;
        const red = codecs.filter(codec => codec.mimeType === "audio/red");
        pc.getTransceivers()[0].setCodecPreferences([...red, ...codecs.filter(codec => codec.mimeType !== "audio/red")]);
      })()
      """)
    try await call.connect()
    try await call.hear(seconds: 2)
    #expect(call.ours.heardFrequency() == 700)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    let ours = try #require(await call.ours.connection.snapshot?.statistics)
    #expect(ours.inboundRTP.fecPacketsReceived > 20)
    #expect(ours.faults.unknownPayloadTypes == 0 && ours.faults.malformedPackets == 0)
    // Chromium counts the copies that it did not need as discarded.
    #expect(try await call.browser.statistic("packetsDiscarded", of: "inbound-rtp") > 50)
    await call.close()
  }

  @Test("a restart of ICE, asked for by either end, leaves the call standing", arguments: [true, false])
  func restart(byBrowser: Bool) async throws {
    let call = try await BrowserCall()
    try await call.connect()
    try await call.hear(seconds: 0.5)
    let before = try #require(await call.ours.connection.snapshot?.statistics.inboundRTP)
    if byBrowser {
      let offer = try await call.browser.offer("{ iceRestart: true }")
      try await call.browser.accept(answer: call.ours.connection.accept(offer: offer))
    } else {
      let answer = try await call.browser.answer(to: call.ours.connection.restartICE())
      try await call.ours.connection.accept(answer: answer)
    }
    try await call.hear(seconds: 2)
    let after = try #require(await call.ours.connection.snapshot?.statistics.inboundRTP)
    #expect(after.packetsReceived - before.packetsReceived > 75)
    #expect(after.packetsLost <= before.packetsLost + 5)
    #expect(call.ours.heardFrequency() == 700)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    #expect(try await call.browser.browser.text("pc.connectionState") == "connected")
    await call.close()
  }

  @Test("hold by the browser silences us, and the way back")
  func hold() async throws {
    let call = try await BrowserCall()
    try await call.connect()
    try await call.hear(seconds: 0.5)
    try await call.browser.browser.run("pc.getTransceivers()[0].direction = 'inactive'")
    try await call.browser.accept(answer: call.ours.connection.accept(offer: call.browser.offer()))
    try await call.hear(seconds: 0.5)
    let sent = await call.ours.connection.snapshot?.statistics.outboundRTP.packetsSent
    try await call.hear(seconds: 0.5)
    #expect(await call.ours.connection.snapshot?.statistics.outboundRTP.packetsSent == sent)
    try await call.browser.browser.run("pc.getTransceivers()[0].direction = 'sendrecv'")
    try await call.browser.accept(answer: call.ours.connection.accept(offer: call.browser.offer()))
    try await call.hear(seconds: 1.5)
    #expect(call.ours.heardFrequency() == 700)
    // Chromium's Web Audio stays deaf to a track that was on hold; its decoder is not.
    #expect((0.2...0.7).contains(try await call.browser.statistic("audioLevel", of: "inbound-rtp")))
    await call.close()
  }

  @Test("both ends over a TURN server only")
  func relayOnly() async throws {
    let relay = try RelayServer()
    let server = """
      { iceTransportPolicy: "relay", iceServers: [{ urls: "turn:127.0.0.1:\(relay.port)?transport=udp",
        username: "\(RelayServer.username)", credential: "\(RelayServer.password)" }] }
      """
    let call = try await BrowserCall(browserConfiguration: server) {
      $0.transport.ice.servers = [relay.turn(.udp)]
      $0.transport.ice.policy = .relay
    }
    try await call.connect()
    try await call.hear(seconds: 2)
    #expect(call.ours.heardFrequency() == 700)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    let pair = try #require(await call.ours.connection.transportStatistics.selectedCandidatePair)
    #expect(pair.local.kind == .relayed && pair.remote.kind == .relayed)
    await call.close()
  }

  @Test("G.711 and G.722 when the browser wants no other", arguments: ["PCMU", "PCMA", "G722"])
  func otherCodecs(name: String) async throws {
    let call = try await BrowserCall()
    try await call.browser.browser.run(
      """
      pc.getTransceivers()[0].setCodecPreferences(
        RTCRtpReceiver.getCapabilities("audio").codecs.filter(codec => codec.mimeType === "audio/\(name)"))
      """)
    try await call.connect()
    try await call.hear(seconds: 1.5)
    #expect(call.ours.heardFrequency() == 700)
    #expect(abs(try await call.browser.heardFrequency() - 440) < 6)
    #expect(await call.ours.connection.negotiated?.codec.encoding.uppercased() == name)
    await call.close()
  }
}

/// One of our connections, with a tone of 440 Hz, and a browser's, with one of 700 Hz.
struct BrowserCall: Sendable {
  let loop = EventLoop()
  let ours: TestPeer
  let browser: BrowserPeer

  init(
    browserConfiguration: String = "{}", change: (inout PeerConnectionSettings) -> Void = { _ in }
  ) async throws {
    var settings = PeerConnectionSettings()
    settings.transport.ice.allowsLoopback = true
    settings.engine = .unprocessed
    settings.trickles = false
    change(&settings)
    ours = try await TestPeer(settings, frequency: 440, on: loop)
    browser = try await BrowserPeer(on: loop, frequency: 700, configuration: browserConfiguration)
  }

  func connect(browserOffers: Bool = true) async throws {
    if browserOffers {
      try await browser.accept(answer: ours.connection.accept(offer: browser.offer()))
    } else {
      try await ours.connection.accept(answer: browser.answer(to: ours.connection.makeOffer()))
    }
    for await event in ours.connection.events {
      if case .failed(let error) = event { throw error }
      if case .state(.connected) = event { break }
    }
    try await browser.connected()
  }

  func hear(seconds: Double) async throws {
    ours.forget()
    try await Task.sleep(for: .seconds(seconds))
  }

  func close() async {
    await ours.connection.close()
    await browser.close()
  }
}
