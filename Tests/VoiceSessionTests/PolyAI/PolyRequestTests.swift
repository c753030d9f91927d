import Foundation
import Networking
import Testing

@testable import VoiceSession

@Suite("PolyAI: tokens, sessions, servers")
struct PolyRequestTests {
  @Test func theRequestsAsTheyGoOut() throws {
    let run = try PolyRun.at(.iceServers)
    let requests = run.actions.requests()
    #expect(requests.map(\.0) == [.token, .session, .iceServers])
    let (token, session, ice) = (requests[0].1, requests[1].1, requests[2].1)
    #expect(token.method == .post)
    #expect(token.url == "https://messaging.us-1.poly.ai/api/v1/access-token")
    #expect(token.headers["X-Token"] == "connector")
    #expect(token.headers["X-Host"] == "com.example.app")
    #expect(token.headers["X-Polyai-Correlation-Id"] == "id-2")
    #expect(token.body == Array("{}".utf8))
    #expect(session.method == .post)
    #expect(session.url == "https://messaging.us-1.poly.ai/api/v1/sessions")
    #expect(session.headers["Authorization"] == "Bearer at")
    #expect(
      try JSON(parsing: String(decoding: session.body ?? [], as: UTF8.self)) == [
        "streaming_enabled": true, "platform": "ios", "device_type": "mobile",
      ])
    #expect(ice.method == .get)
    #expect(
      ice.url == "https://webrtc-gateway.us-1.platform.polyai.app/api/v1/ice-servers?token=web%20token")
    #expect(
      run.opened(.messaging) == ["wss://messaging.us-1.poly.ai/ws?access_token=at&session_id=ms-1"])
  }

  @Test(arguments: [
    (PolyEnvironment.uk, "messaging.uk-1.poly.ai", "webrtc-gateway.uk-1.platform.polyai.app"),
    (.euw, "messaging.euw-1.poly.ai", "webrtc-gateway.euw-1.platform.polyai.app"),
    (.cluster("n"), "messaging.n.poly.ai", "webrtc-gateway.n.platform.polyai.app"),
    (.cluster("dev"), "messaging.dev.poly.ai", "webrtc-gateway.dev.polyai.app"),
  ]) func hosts(environment: PolyEnvironment, messaging: String, gateway: String) throws {
    let addresses = try PolyAddresses(
      PolyConfiguration(apiKey: "k", environment: environment), VoiceOptions(webrtcToken: "w"))
    #expect(addresses.rest == "https://\(messaging)/api/v1")
    #expect(addresses.messaging == "wss://\(messaging)/ws")
    #expect(addresses.signalling == "wss://\(gateway)/api/v1/webrtc/signal")
  }

  @Test func serversOfOnesOwn() throws {
    let custom = PolyConfiguration(
      apiKey: "k", environment: .custom(rest: "https://r/v1", messaging: "wss://m/ws?tenant=7"))
    let addresses = try PolyAddresses(custom, VoiceOptions(webrtcToken: "w", signalingHost: "g:8443"))
    #expect(addresses.signalling == "wss://g:8443/api/v1/webrtc/signal")
    #expect(
      addresses.messagingSocket(token: "a&b", session: "s", cursor: 7)
        == "wss://m/ws?tenant=7&access_token=a%26b&session_id=s&cursor=7")
    #expect(throws: PolyError.self) { try PolyAddresses(custom, VoiceOptions(webrtcToken: "w")) }
  }

  @Test(arguments: [("", "w"), (" \n", "w"), ("k", ""), ("k", " "), ("k\r\nX: y", "w")])
  func tokensThatAreNone(key: String, web: String) {
    var error: PolyError?
    do throws(PolyError) {
      _ = try PolyAddresses(PolyConfiguration(apiKey: key), VoiceOptions(webrtcToken: web))
    } catch let thrown { error = thrown }
    guard case .invalidConfiguration(let text) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(!text.contains("X: y"))
  }

  @Test("four attempts a second apart, then the step's own error", arguments: [PolyAIDialect.Request.token, .session])
  func attempts(request: PolyAIDialect.Request) throws {
    var run = try PolyRun.at(request == .token ? .started : .token)
    for attempt in 1...4 {
      #expect(run.actions.requests().filter { $0.0 == request }.count == attempt)
      run.answer(request, status: 503)
      guard attempt < 4 else { break }
      run.pass(seconds: 0.99)
      #expect(run.actions.requests().filter { $0.0 == request }.count == attempt)
      run.pass(seconds: 0.01)
    }
    #expect(
      run.error
        == (request == .token ? .auth(.tokenAcquisitionFailed) : .session(.sessionCreationFailed(code: 503))))
    #expect(run.error?.isRetryable == false)
  }

  @Test func aServerThatCannotBeReached() throws {
    var run = try PolyRun.at(.started)
    for _ in 0..<4 {
      run.tell(.answered(.token, .failure(SessionError(.network, "no route"))))
      run.pass(seconds: 1)
    }
    #expect(run.error == .transport(.networkError))
    #expect(run.error?.isRetryable == true)
  }

  @Test(
    "how long a busy server is left alone",
    arguments: [("2", 2.0), (nil, 5), ("0", 0), ("25", 25), ("soon", 5), ("nan", 5), ("-3", 0)])
  func retryAfter(header: String?, seconds: Double) throws {
    var run = try PolyRun.at(.started)
    run.answer(.token, status: 429, headers: header.map { ["Retry-After": $0] } ?? [:])
    if seconds > 0 {
      run.pass(seconds: seconds - 0.01)
      #expect(run.actions.requests().count == 1)
    }
    run.pass(seconds: 0.01)
    #expect(run.actions.requests().count == 2)
  }

  @Test("refused credentials end it at once", arguments: [401, 403])
  func refused(status: Int) throws {
    for step in [PolyStep.started, .token] {
      var run = try PolyRun.at(step)
      run.answer(step == .started ? .token : .session, status: status)
      #expect(run.error == .auth(.unauthorized))
    }
  }

  @Test(
    "answers that lack what they should have",
    arguments: [
      "", "[]", "{}", "{\"access_token\":7}", "{\"access_token\":\"\"}", "{\"access_token\":\"a\\r\\nX: y\"}",
    ])
  func emptyAnswers(body: String) throws {
    var run = try PolyRun.at(.started)
    for _ in 0..<4 {
      run.tell(.answered(.token, .success(HTTPResponse(status: 200, body: Array(body.utf8)))))
      run.pass(seconds: 1)
    }
    #expect(run.error == .auth(.tokenAcquisitionFailed))
  }

  @Test(
    "whatever comes in place of servers, the call goes on",
    arguments: [
      "{}", "no JSON", "{\"iceServers\":7}", "{\"iceServers\":[7,{},{\"urls\":7},{\"urls\":[\"nonsense\"]}]}",
      "{\"iceServers\":[{\"urls\":\"turn:t:3478\"}]}",
    ])
  func noServers(body: String) throws {
    var run = try PolyRun.at(.sessionStarted)
    run.tell(.answered(.iceServers, .success(HTTPResponse(status: 200, body: Array(body.utf8)))))
    #expect(run.actions.media() == [.openPeer(servers: PolyICEServers.fallback, trickles: true, offers: true)])
  }

  @Test func serversAreRead() throws {
    var run = try PolyRun.at(.sessionStarted)
    let many: [JSON] = (0..<20).map { .string("turn:t\($0):3478") }
    run.answer(
      .iceServers,
      [
        "iceServers": [
          ["urls": ["turn:t:3478"], "username": "u", "credential": "c"], ["urls": "stun:s:3478"],
          ["urls": .array(many), "username": "u", "credential": "c"],
        ]
      ])
    guard case .openPeer(let servers, true, true) = run.actions.media().first else {
      Issue.record("no peer")
      return
    }
    #expect(servers.prefix(2) == [.turn("t", username: "u", password: "c"), .stun("s")])
    #expect(servers.count == 9, "no more relays than can be asked")
    for failure in [true, false] {
      var other = try PolyRun.at(.sessionStarted)
      if failure {
        other.tell(.answered(.iceServers, .failure(SessionError(.network, "x"))))
      } else {
        other.answer(.iceServers, status: 500)
      }
      #expect(other.actions.media() == [.openPeer(servers: PolyICEServers.fallback, trickles: true, offers: true)])
    }
  }
}
