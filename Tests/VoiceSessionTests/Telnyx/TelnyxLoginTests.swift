import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("Telnyx: connection and login")
struct TelnyxLoginTests {
  @Test("from dialling to registered")
  func login() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    #expect(run.state == .preparing)
    #expect(run.news().opens() == [SocketRequest("wss://rtc.telnyx.com")])
    run.open(.signalling)
    #expect(run.state == .connecting)
    #expect(run.news().notices() == [.linkUp])
    try run.logIn()
    #expect(run.state == .active([]))
    run.registerGateway()
    #expect(run.core.ownState.link.isRegistered)
    #expect(run.core.ownState.link.session == "s-1")
    #expect(run.actions.sent().methods() == ["anonymous_login", "telnyx_rtc.gatewayState"])
  }

  @Test("the login's frame")
  func loginFrame() throws {
    var run = TelnyxRun.assistant { configuration in
      configuration.assistantVersionID = "v2"
      configuration.userVariables = ["name": "Ada"]
    }
    try run.perform(.start)
    run.open(.signalling)
    #expect(
      run.actions.sent() == [
        [
          "jsonrpc": "2.0", "id": "id-2", "method": "anonymous_login",
          "params": [
            "target_type": "ai_assistant", "target_id": "assistant-7", "target_version_id": "v2",
            "userVariables": ["name": "Ada"], "reconnection": false, "sessid": "id-1",
            "User-Agent": ["sdkVersion": "1.0.0", "data": "Antiphon-1.0.0"],
          ],
        ]
      ])
  }

  @Test("the gateway is asked three times, three seconds apart", arguments: [0, 1, 2])
  func gatewayRegistersLate(after refusals: Int) throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    try run.logIn()
    run.request("telnyx_rtc.clientReady", [:])
    for _ in 0..<refusals {
      run.gateway("NOREG")
      _ = run.news()
      run.pass(seconds: 2.99)
      #expect(run.sentNews().isEmpty)
      run.pass(seconds: 0.01)
      #expect(run.sentNews().methods() == ["telnyx_rtc.gatewayState"])
    }
    run.gateway("REGED")
    run.pass(seconds: 20)
    run.gateway("FAILED")
    #expect(run.core.ownState.link.isRegistered)
    #expect(run.state == .active([]))
  }

  @Test(
    "what never registers fails after the third wait",
    arguments: ["UNREGED", "TRYING", "REGISTER", "UNREGISTER", "FAILED", "FAIL_WAIT", "EXPIRED", "NOREG", "TIMEOUT"])
  func gatewayNeverRegisters(state: String) throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    try run.logIn()
    run.request("telnyx_rtc.clientReady", [:])
    for _ in 0..<3 {
      #expect(run.state == .active([]))
      run.gateway(state)
      run.pass(seconds: 3)
    }
    #expect(run.seconds == 9)
    #expect(run.actions.sent().methods().filter { $0 == "telnyx_rtc.gatewayState" }.count == 3)
    let error = try #require(run.state.failure)
    #expect(TelnyxError(error) == .serverError(.gatewayNotRegistered))
    #expect(error.isRetryable)
  }

  @Test("a gateway that says nothing fails as well")
  func silentGateway() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    try run.logIn()
    run.request("telnyx_rtc.clientReady", [:])
    run.request("telnyx_rtc.clientReady", [:])
    run.pass(seconds: 9)
    #expect(run.actions.sent().methods().filter { $0 == "telnyx_rtc.gatewayState" }.count == 3)
    #expect(run.state.failure?.code == "gatewayNotRegistered")
  }

  @Test(
    "a refused login ends it, and says whether another try may help",
    arguments: [
      (-32_000, SessionError.Kind.authentication, false), (-32_001, .authentication, false),
      (-32_002, .signalling, false), (-32_003, .server, true), (-32_004, .server, true), (7, .server, false),
    ])
  func refusedLogin(code: Int, kind: SessionError.Kind, isRetryable: Bool) throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    run.receive(
      ["jsonrpc": "2.0", "id": "id-2", "error": ["code": .number(Double(code)), "message": "no"]], from: .signalling)
    let error = try #require(run.state.failure)
    #expect(error.kind == kind)
    #expect(error.isRetryable == isRetryable)
    #expect(TelnyxError(error) == .serverError(.signalingServerError(message: "no", code: code)))
    #expect(TelnyxError(error).isRetryable == isRetryable)
    #expect(run.actions.releases() == 1)
  }

  @Test("a ping comes back as it is, once registered and not before")
  func ping() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    try run.logIn()
    let ping = #"{"jsonrpc":"2.0", "id":77,  "method":"telnyx_rtc.ping","params":{"z":1,"a":[]}}"#
    _ = run.news()
    run.receive(ping, from: .signalling)
    #expect(run.news().isEmpty)
    run.registerGateway()
    _ = run.news()
    run.receive(ping, from: .signalling)
    let sent: [String] = run.news().compactMap { if case .send(_, .text(let text)) = $0 { text } else { nil } }
    #expect(sent == [ping])
  }

  @Test("dialling: five seconds each, a second between, five times; the region is given up first")
  func silentServer() throws {
    var run = TelnyxRun.assistant { $0.region = .europe }
    try run.perform(.start)
    run.pass(seconds: 5.99)
    #expect(run.actions.opens().map(\.url) == ["wss://eu.rtc.telnyx.com"])
    run.pass(seconds: 0.01)
    #expect(run.actions.opens().map(\.url) == ["wss://eu.rtc.telnyx.com", "wss://rtc.telnyx.com"])
    #expect(run.state == .preparing)
    run.pass(seconds: 22.9)
    #expect(run.state == .preparing)
    run.pass(seconds: 0.2)
    #expect(run.actions.opens().count == 5)
    #expect(run.state.failure.map { TelnyxError($0) } == .socketConnectionFailed(.socketNotConnected))
  }

  @Test("a host of a region that cannot be reached is left for the one without")
  func unreachableRegion() throws {
    var run = TelnyxRun.assistant { $0.region = .asiaPacific }
    try run.perform(.start)
    run.close(.signalling, wasOpen: false)
    #expect(run.state == .preparing)
    run.pass(seconds: 1)
    #expect(run.actions.opens().map(\.url) == ["wss://apac.rtc.telnyx.com", "wss://rtc.telnyx.com"])
    run.close(.signalling, wasOpen: false)
    #expect(run.state.failure?.code == "socketNotConnected")
  }

  @Test("no word on the login within ten seconds")
  func silentLogin() throws {
    var run = TelnyxRun.assistant()
    try run.perform(.start)
    run.open(.signalling)
    run.pass(seconds: 9.9)
    #expect(run.state == .connecting)
    run.pass(seconds: 0.1)
    #expect(run.state.failure?.kind == .timeout)
  }

  @Test("without a call the loss of the socket is the end")
  func lostWithoutCall() throws {
    var run = try TelnyxRun.registered()
    run.close(.signalling, code: 1006)
    let error = try #require(run.state.failure)
    #expect(error.message == "Connection lost")
    #expect(error.isRetryable)
  }

  @Test(
    "after 20 s without a frame, or 45 s without a reply, a sign of life is asked for; without one the link is lost")
  func probes() throws {
    var run = try TelnyxRun.registered()
    _ = run.news()
    run.pass(seconds: 20)
    #expect(run.sentNews().isEmpty)
    run.pass(seconds: 1)
    let ping = try #require(run.sentNews().first)
    #expect(ping["method"] == "telnyx_rtc.ping")
    run.receive(["jsonrpc": "2.0", "id": ping["id"], "result": [:]], from: .signalling)
    for _ in 0..<14 {
      run.pass(seconds: 3)
      run.request("telnyx_rtc.noise", [:])
    }
    #expect(run.sentNews().isEmpty)
    run.pass(seconds: 3)
    #expect(run.sentNews().methods() == ["telnyx_rtc.ping"])
    run.pass(seconds: 5)
    #expect(run.state.failure?.code == "socketNotConnected")
  }
}
