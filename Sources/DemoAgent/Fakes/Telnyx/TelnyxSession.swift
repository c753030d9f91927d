internal import Foundation
internal import Networking
internal import RealtimeCore

/// One client's login; it outlives its socket for a while, and so do its calls.
///
/// - Threads: the loop's.
final class TelnyxSession: @unchecked Sendable {
  let id: String
  let settings: TelnyxSettings
  let context: FakeContext
  unowned let fake: TelnyxFake
  var calls: [String: TelnyxCall] = [:]
  private let backEnd: String
  private var link: FakeLink?
  private var gatewayCount = 0
  private var isRegistered = false
  private var pings: Set<JSON> = []
  private var pingTimer: LoopTimer?
  private var patience: LoopTimer?

  init(_ id: String, backEnd: String, _ settings: TelnyxSettings, _ context: FakeContext, on fake: TelnyxFake) {
    self.id = id
    self.backEnd = backEnd
    self.settings = settings
    self.context = context
    self.fake = fake
  }

  // MARK: login

  func attach(_ link: FakeLink, login: TelnyxFrame) {
    self.link = link
    patience = nil
    isRegistered = false
    gatewayCount = 0
    answer(login, ["message": "logged in", "sessid": .string(id)])
    request(
      "telnyx_rtc.clientReady", ["reattached_sessions": .array(calls.keys.sorted().map { .string($0) })])
    ping()
  }

  func detach(_ link: FakeLink) {
    guard self.link === link else { return }
    self.link = nil
    pingTimer = nil
    guard !calls.isEmpty else { return }
    patience = after(settings.reattachSeconds) { session in
      for call in session.calls.keys { Task { [fake = session.fake] in await fake.giveUp(call, of: session) } }
    }
  }

  private func gatewayState(_ frame: TelnyxFrame) {
    let states = settings.gatewayStates
    let state = states.isEmpty ? "REGED" : states[min(gatewayCount, states.count - 1)]
    gatewayCount += 1
    answer(
      frame,
      ["params": ["state": .string(state), "call_report_id": .string("cr-" + id)], "sessid": .string(id)])
    guard state == "REGED", !isRegistered else { return }
    isRegistered = true
    if let widget = try? JSONReader.read(settings.widgetSettings), widget.members != nil {
      request("ai_conversation", ["type": "widget_settings", "widget_settings": widget])
    }
    // The calls of before go on over new paths.
    for call in calls.values { call.reattach() }
  }

  private func ping() {
    let frame = TelnyxFrame.request("telnyx_rtc.ping", [:])
    if let id = frame["id"] { pings.insert(id) }
    pingTimer = after(settings.pingSeconds) { session in
      session.send("telnyx_rtc.ping", frame)
      session.ping()
    }
  }

  // MARK: frames

  func noticed(_ text: String) {
    for call in calls.values { call.conversation.noticed(text) }
  }

  func take(_ frame: TelnyxFrame) async throws(TelnyxError) {
    switch frame.method {
    case nil: break  // whoever acknowledges ours may do so
    case "telnyx_rtc.ping":
      guard isRegistered else { throw TelnyxError(401, "Unauthorized", id: frame.id) }
      // An echo of ours needs no answer.
      if let id = frame.id, pings.remove(id) == nil { answer(frame, ["message": "pong"]) }
    case "telnyx_rtc.gatewayState": gatewayState(frame)
    case let method? where !isRegistered:
      throw TelnyxError(-32_004, "Gateway registration is needed before \(method.prefix(40))", id: frame.id)
    case "telnyx_rtc.invite": try await invite(frame)
    case "ai_conversation": try takeConversation(frame)
    case let method?:
      guard let call = calls[try frame.callID()] else {
        throw TelnyxError(-32_002, "CALL DOES NOT EXIST", id: frame.id)
      }
      try await take(method, frame, call)
    }
  }

  private func take(_ method: String, _ frame: TelnyxFrame, _ call: TelnyxCall) async throws(TelnyxError) {
    switch method {
    case "telnyx_rtc.candidate": try await call.add(candidate: frame.text("candidate"), frame)
    case "telnyx_rtc.endOfCandidates": try await call.add(candidate: "", frame)
    case "telnyx_rtc.bye":
      _ = try frame.text("cause")
      guard frame.params["causeCode"]?.integer != nil else {
        throw TelnyxError(-32_602, "Invalid params: causeCode", id: frame.id)
      }
      answer(frame, ["message": "CALL ENDED", "callID": .string(call.id), "sessid": .string(id)])
      await end(call.id, nil)
    case "telnyx_rtc.modify": try await modify(frame, call)
    case "telnyx_rtc.info":
      let keys = try frame.text("dtmf")
      guard keys.allSatisfy({ "0123456789*#ABCD".contains($0) }) else {
        throw TelnyxError(-32_602, "Invalid params: dtmf", id: frame.id)
      }
      context.log.tell(.note, "keys \(keys)", call: call.number)
      answer(frame, ["message": "SENT", "callID": .string(call.id), "sessid": .string(id)])
    case "telnyx_rtc.attach":
      try await call.attach(answer: frame.text("sdp"), frame)
      answer(frame, ["message": "CALL ATTACHED", "callID": .string(call.id), "sessid": .string(id)])
    case "telnyx_rtc.ringing_ack": break
    default: throw TelnyxError(-32_601, "Method not found: \(method.prefix(60))", id: frame.id)
    }
  }

  // MARK: calls' ends

  /// - Parameter cause: told to the client; `nil` when it was the client's wish, or nobody is there.
  func end(_ call: String, _ cause: TelnyxCause?) async {
    guard let call = calls.removeValue(forKey: call) else { return }
    context.log.tell(.ended, cause?.name ?? "by the caller", call: call.number)
    if let cause {
      request(
        "telnyx_rtc.bye",
        [
          "callID": .string(call.id), "cause": .string(cause.name), "causeCode": .integer(cause.code), "sipCode": 200,
          "sipReason": "OK", "sip_call_id": .string(call.legID),
        ])
    }
    await call.release()
  }

  func release() async {
    pingTimer = nil
    patience = nil
    for call in calls.values { await call.release() }
    calls = [:]
  }

  // MARK: sending

  func answer(_ frame: TelnyxFrame, _ result: JSON) {
    send("result", ["jsonrpc": "2.0", "id": frame.id ?? .null, "result": result])
  }

  func request(_ method: String, _ params: JSON) { send(method, TelnyxFrame.request(method, params)) }

  private func send(_ kind: String, _ frame: JSON) { link?.send(kind, frame.with("voice_sdk_id", .string(backEnd))) }

  func play(_ output: AgentConversation.Output) {
    switch output {
    case .raw(let message):
      guard case .text(let text) = message else { return }
      link?.send((try? JSONReader.read(text)["method"]?.string) ?? "raw", message)
    case .close(let code, let reason): link?.close(code, reason)
    case .abort: link?.abort()
    case .mind: break
    }
  }

  func after(_ seconds: Double, _ work: @escaping @Sendable (TelnyxSession) -> Void) -> LoopTimer {
    context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
      guard let self else { return }
      work(self)
    }
  }
}
