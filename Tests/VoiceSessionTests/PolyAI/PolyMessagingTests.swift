import Foundation
import Networking
import TestSupport
import Testing

@testable import VoiceSession

@Suite("PolyAI: the messaging socket")
struct PolyMessagingTests {
  @Test func theLinkFollowsTheSessionsStart() throws {
    var run = try PolyRun.at(.messagingOpen)
    #expect(run.sent(to: .messaging).isEmpty)
    run.startMessaging()
    run.startMessaging()
    #expect(
      run.sent(to: .messaging) == [
        ["type": "EVENT_TYPE_LINK_TO_WEBRTC_CONVERSATION", "payload": ["call_sid": "ID-1"]]
      ])
    #expect(run.actions.requests().filter { $0.0 == .iceServers }.count == 1)
  }

  @Test(
    "signs of life: every 30 s, or as the server wants, or none",
    arguments: [(nil, 30), (7, 7), (0, nil), (-1, 30)] as [(Int?, Double?)])
  func heartbeat(wish: Int?, seconds: Double?) throws {
    var run = try PolyRun.at(.messagingOpen)
    run.startMessaging(.object(compact: ["heartbeat_interval_seconds": wish.map { .number(Double($0)) }]))
    for step in PolyStep.allCases.dropFirst(PolyStep.iceServers.rawValue) { try run.go(step) }
    _ = run.news()
    guard let seconds else {
      run.pass(seconds: 300)
      #expect(run.news().sent().isEmpty)
      return
    }
    run.pass(seconds: seconds - 0.01)
    #expect(run.news().sent().isEmpty)
    run.pass(seconds: 2 * seconds)
    let beat: JSON = ["type": "EVENT_TYPE_HEARTBEAT", "payload": [:]]
    #expect(run.news().sent() == [beat, beat])
  }

  @Test("2ⁿ seconds, a fifth more or less, at most 30, with the newest event's number; then the call goes on without")
  func reconnect() throws {
    var run = try PolyRun.at(.connected)
    run.message("USER_MESSAGE", ["message_id": "m1", "text": "hello"], sequence: 7)
    run.message("USER_MESSAGE", ["message_id": "m0", "text": "older"], sequence: 3)
    run.close(.messaging, code: 1006)
    for attempt in 0..<10 {
      let pause = min(30, Double(1 << attempt))
      run.pass(seconds: pause * 0.799)
      #expect(run.opened(.messaging).count == attempt + 1)
      run.pass(seconds: pause * 0.402)
      #expect(run.opened(.messaging).count == attempt + 2, "attempt \(attempt)")
      run.close(.messaging, wasOpen: false)
    }
    #expect(run.opened(.messaging).last?.hasSuffix("&cursor=7") == true)
    #expect(run.state == .active([]))
    let problems = run.actions.events().compactMap {
      if case .problem(let error) = $0 { PolyError(error) } else { nil }
    }
    #expect(problems == [.session(.maxReconnectAttemptsExceeded)])
    run.pass(seconds: 600)
    #expect(run.opened(.messaging).count == 11)
  }

  @Test(
    "codes of its end",
    arguments: [
      (1000, 0.0, 0), (4000, 0, 0), (1005, 1.3, 1), (1006, 1.3, 1), (4002, 1.3, 1), (1011, 1.3, 1), (4003, 10, 1),
    ])
  func codes(code: Int, seconds: Double, reopenings: Int) throws {
    var run = try PolyRun.at(.connected)
    run.close(.messaging, code: code, reason: "r")
    run.pass(seconds: seconds)
    #expect(run.opened(.messaging).count == 1 + reopenings)
    run.pass(seconds: 100)
    #expect(run.opened(.messaging).count == 1 + reopenings)
    #expect(run.state == .active([]))

    var early = try PolyRun.at(.messagingOpen)
    early.close(.messaging, code: code, reason: "r")
    switch code {
    case 1000: #expect(early.error == .session(.sessionEnded))
    case 4000: #expect(early.error == .session(.unexpectedDisconnect(code: 4000, reason: "r")))
    default: #expect(!early.state.isOver)
    }
  }

  @Test func aSessionThatIsNoneIsMadeAnewThreeTimes() throws {
    var run = try PolyRun.at(.connected)
    for round in 1...3 {
      run.close(.messaging, code: 4001)
      #expect(run.actions.requests().filter { $0.0 == .session }.count == round + 1)
      run.answer(.session, ["session_id": .string("ms-\(round + 1)")])
      #expect(run.opened(.messaging).last?.hasSuffix("session_id=ms-\(round + 1)") == true)
      run.open(.messaging)
    }
    run.close(.messaging, code: 4001)
    let problems = run.actions.events().compactMap {
      if case .problem(let error) = $0 { PolyError(error) } else { nil }
    }
    #expect(problems == [.session(.sessionExpired)])
    #expect(run.state == .active([]))
  }

  @Test func aNewSessionIsLinkedToo() throws {
    var run = try PolyRun.at(.connected)
    run.close(.messaging, code: 4001)
    run.answer(.session, ["session_id": "ms-2"])
    run.open(.messaging)
    run.startMessaging()
    #expect(run.sent(to: .messaging).filter { $0["type"].string?.hasSuffix("CONVERSATION") == true }.count == 2)
    #expect(run.actions.requests().filter { $0.0 == .iceServers }.count == 1)
  }

  @Test func aSessionThatGoesOnNeedsNoNewStart() throws {
    var run = try PolyRun.at(.connected)
    run.close(.messaging, code: 1006)
    #expect(throws: SessionError.self) { try run.perform(.sendText("x")) }
    run.pass(seconds: 2)
    run.open(.messaging)
    try run.perform(.sendText("x"))
    _ = run.news()
    run.startMessaging()
    #expect(run.news().isEmpty)
    run.pass(seconds: 30)
    #expect(run.news().sent().count == 1)
  }

  @Test func aTokenThatHasEndedIsFetchedAnewFirst() throws {
    var run = try PolyRun.at(.connected)
    run.pass(seconds: 3_590)
    run.close(.messaging, code: 1006)
    run.pass(seconds: 20)
    #expect(run.opened(.messaging).count == 2)
    run.close(.messaging, wasOpen: false)
    run.pass(seconds: 3)
    #expect(run.actions.requests().last?.0 == .token)
    run.answer(.token, ["access_token": "at2"])
    #expect(run.opened(.messaging).last?.contains("access_token=at2") == true)
  }

  @Test func whatWasSaidInPiecesAndWholes() throws {
    var run = try PolyRun.at(.connected)
    run.message("USER_MESSAGE", ["message_id": "u1", "text": "hello"], id: "e1")
    run.message("USER_MESSAGE", ["message_id": "u1", "text": "hello"], id: "e1")
    func chunk(_ index: Int, _ text: String, isLast: Bool = false) -> JSON {
      [
        "message_id": "a1", "chunk_index": .number(Double(index)), "text": .string(text), "is_complete": .bool(isLast),
      ]
    }
    run.message("POLY_AGENT_MESSAGE_CHUNK", chunk(0, "Good "))
    run.message("POLY_AGENT_MESSAGE_CHUNK", chunk(2, "to you", isLast: true))
    run.message("POLY_AGENT_MESSAGE_CHUNK", chunk(0, "Good "))
    run.message("POLY_AGENT_MESSAGE_CHUNK", chunk(1, "day "))
    run.message("POLY_AGENT_MESSAGE_CHUNK", chunk(1, "day "))
    run.message("POLY_AGENT_MESSAGE", ["message_id": "a1", "text": "Good day to you", "end_conversation": false])
    let items = run.actions.transcripts()
    #expect(items.map(\.text) == ["hello", "Good ", "Good day to you"])
    #expect(items.map(\.role) == [.user, .agent, .agent])
    #expect(items.map(\.isFinal) == [true, false, true])
  }

  @Test func aBatchIsReadByNumber() throws {
    var run = try PolyRun.at(.connected)
    let events: [JSON] = [3, 1, 2].map { number in
      [
        "id": .string("e\(number)"), "sequence": .number(Double(number)), "type": "EVENT_TYPE_USER_MESSAGE",
        "payload": ["message_id": .string("m\(number)"), "text": .string("\(number)")],
      ]
    }
    run.message("EVENT_BATCH", ["events": .array(events)])
    run.message("EVENT_BATCH", ["events": [["type": "EVENT_TYPE_EVENT_BATCH", "payload": ["events": .array(events)]]]])
    #expect(run.actions.transcripts().map(\.text) == ["1", "2", "3"])
    #expect(run.core.ownState.messaging.cursor == 3)
  }

  @Test func thinkingByTheSocketSpeakingByWhatIsHeard() throws {
    var run = try PolyRun.at(.connected)
    run.message("POLY_AGENT_THINKING", [:])
    run.media(.agentLevel(-80))
    run.media(.agentLevel(-20))
    run.pass(seconds: 0.4)
    run.media(.agentLevel(-20))
    run.pass(seconds: 0.49)
    #expect(run.actions.agentStates() == [.thinking, .speaking])
    run.pass(seconds: 0.01)
    #expect(run.actions.agentStates() == [.thinking, .speaking, .listening])
  }

  @Test func writing() throws {
    var run = try PolyRun.at(.messagingOpen)
    #expect(throws: SessionError.self) { try run.perform(.sendText("too early")) }
    run.startMessaging(["max_message_size_bytes": 10])
    try run.perform(.sendText("0123456789"))
    #expect(
      run.sent(to: .messaging).last == ["type": "EVENT_TYPE_USER_MESSAGE", "payload": ["text": "0123456789"]])
    var error: PolyError?
    do { try run.perform(.sendText("0123456789a")) } catch let thrown { error = PolyError(thrown) }
    #expect(error == .message(.payloadTooLarge))
    for event in PolyClientEvent.allCases { try run.perform(.own(.tell(event))) }
    #expect(run.sent(to: .messaging).count == 5)
    run.close(.messaging, code: 1006)
    do { try run.perform(.sendText("x")) } catch let thrown { error = PolyError(thrown) }
    #expect(error == .message(.deliveryFailed))
  }

  @Test func otherEventsAreToldByName() throws {
    var run = try PolyRun.at(.connected)
    run.message("POLY_AGENT_JOINED", ["agent_name": "Ann", "agent_avatar_url": "https://x/y"])
    run.message("SYSTEM_MESSAGE", ["text": "be patient"])
    run.message("POLY_AGENT_LEFT", [:])
    run.message("SESSION_END", ["reason": "idle"])
    let notices: [PolyAIDialect.Notice] = run.actions.events().compactMap {
      if case .notice(let notice) = $0 { notice } else { nil }
    }
    #expect(
      notices == [
        .messagingStarted, .agentJoined(name: "Ann", avatarURL: "https://x/y"),
        .other(name: "SYSTEM_MESSAGE", text: "be patient"), .agentLeft, .messagingEnded(reason: "idle"),
      ])
    run.close(.messaging, code: 1006)
    run.pass(seconds: 100)
    #expect(run.opened(.messaging).count == 1)
    #expect(run.state == .active([]))
  }
}
