internal import Foundation
internal import Networking
internal import RealtimeCore

/// A client's session in the stand-in's dialect; it outlives its socket, and so do its calls.
///
/// - Threads: the loop's.
final class VonageClientSession: @unchecked Sendable {
  let id: String
  private let settings: VonageSettings
  private let context: FakeContext
  private unowned let fake: VonageFake
  private var link: FakeLink?
  private var calls: [String: VonageCall] = [:]
  private var timers: [LoopTimer] = []
  private var isExpired = false

  init(_ id: String, _ settings: VonageSettings, _ context: FakeContext, on fake: VonageFake) {
    self.id = id
    self.settings = settings
    self.context = context
    self.fake = fake
  }

  func attach(_ link: FakeLink, _ token: VonageToken) {
    self.link = link
    isExpired = false
    watch(token)
    send("session.created", ["id": .string(id), "user": .string(token.user)])
    if let seconds = settings.inviteSeconds { after(seconds) { $0.invite() } }
  }

  func detach(_ link: FakeLink) {
    if self.link === link { self.link = nil }
  }

  func has(call id: String) -> Bool { calls[id] != nil }

  func noticed(_ text: String) {
    for call in calls.values { call.conversation.noticed(text) }
  }

  /// Ends the calls without a word.
  func release() async {
    timers = []
    for call in calls.values { await call.release() }
    calls = [:]
  }

  func end(call id: String, reason: String) async {
    guard let call = calls.removeValue(forKey: id) else { return }
    context.log.tell(.ended, reason, call: call.number)
    send("call.hangup", ["id": .string(id), "reason": .string(reason), "quality": await call.quality])
    await call.release()
  }

  /// A message of the client's.
  func take(_ type: String, _ json: JSON) async throws(Refusal) {
    if isExpired, type != "session.refresh" {
      return send("session.error", ["reason": "tokenExpired"])
    }
    switch type {
    case "session.refresh":
      guard let text = json["token"]?.string else { throw Refusal(1008, "session.refresh without a token") }
      guard let token = try? VonageToken(text) else { return send("session.error", ["reason": "tokenExpired"]) }
      isExpired = false
      watch(token)
      send("session.refreshed", ["id": .string(id)])
    case "session.delete":
      send("session.deleted", ["id": .string(id)])
      link?.close(1000, "")
      await release()
    case "call.create":
      guard let custom = json["custom"]?.members, custom.allSatisfy({ $0.value.string != nil }) else {
        throw Refusal(1008, "call.create needs custom, an object of texts")
      }
      create()
    default:
      guard let id = json["id"]?.string else { throw Refusal(1008, "\(type.prefix(40)) without the call's id") }
      guard let call = calls[id] else { throw Refusal(1008, "\(type.prefix(40)) for a call that is not there") }
      try await take(type, json, call)
    }
  }

  private func take(_ type: String, _ json: JSON, _ call: VonageCall) async throws(Refusal) {
    func need<Value>(_ value: Value?, _ name: String) throws(Refusal) -> Value {
      guard let value else { throw Refusal(1008, "\(type) without \(name), or of a wrong type") }
      return value
    }
    switch type {
    case "call.offer":
      let sdp = try need(json["sdp"]?.string, "sdp")
      do { send("call.answer", ["id": .string(call.id), "sdp": .string(try await call.accept(sdp))]) } catch {
        throw Refusal(1008, "call.offer: \(error)")
      }
    case "call.candidate": try await call.add(candidate: need(json["candidate"]?.string, "candidate"))
    case "call.mute", "call.earmuff":
      let isOn = try need(json["on"]?.bool, "on")
      if type == "call.earmuff" { call.peer.earmuff(isOn) }
      send(type, ["id": .string(call.id), "leg": .string(call.leg), "on": .bool(isOn)])
    case "call.dtmf":
      let digits = try need(json["digits"]?.string, "digits")
      guard !digits.isEmpty, digits.allSatisfy({ "0123456789*#ABCDp".contains($0) }) else {
        throw Refusal(1008, "call.dtmf with '\(digits.prefix(20))'")
      }
      context.log.tell(.note, "keys \(digits)", call: call.number)
      send(type, ["id": .string(call.id), "leg": .string(call.leg), "digits": .string(digits)])
    case "call.say": call.conversation.read(try need(json["text"]?.string, "text"))
    case "call.reconnect": tell(call, "answered")
    case "call.reject": await end(call: call.id, reason: "remoteReject")
    case "call.hangup": await end(call: call.id, reason: "localHangup")
    default: throw Refusal(1008, "type '\(type.prefix(40))' is unknown")
    }
  }

  // MARK: calls

  private func create() {
    guard let call = makeCall() else { return }
    context.log.tell(.began, "client call", call: call.number)
    send("call.created", ["id": .string(call.id)])
    tell(call, "ringing")
    after(settings.ringSeconds) { session in
      guard session.has(call: call.id) else { return }
      session.tell(call, "answered")
      call.answered()
    }
  }

  private func invite() {
    guard let call = makeCall() else { return }
    call.answered()
    send("call.invite", ["id": .string(call.id), "from": "15550111", "channel": "phone"])
    guard let cancel = settings.inviteCancel else { return }
    after(cancel.seconds) { session in
      guard !call.hasMedia, session.calls.removeValue(forKey: call.id) != nil else { return }
      session.send("call.cancel", ["id": .string(call.id), "reason": .string(cancel.reason)])
      Task { [fake = session.fake] in await fake.release(call) }
    }
  }

  private func makeCall() -> VonageCall? {
    let id = "CON-" + UUID().uuidString.lowercased()
    guard
      let call = try? VonageCall(
        id, context,
        onCandidate: { [weak self] candidate in
          self?.send(
            "call.candidate",
            ["id": .string(id), "candidate": .string(candidate), "sdpMid": "0", "sdpMLineIndex": 0])
        },
        onEnd: { [weak self] in
          guard let self else { return }
          Task { [fake] in await fake.end(call: id, of: self) }
        },
        onRaw: { [weak self] output in self?.play(output) })
    else { return nil }
    calls[id] = call
    return call
  }

  private func play(_ output: AgentConversation.Output) {
    switch output {
    case .raw(let message): link?.send("raw", message)
    case .close(let code, let reason): link?.close(code, reason)
    case .abort: link?.abort()
    case .mind: break
    }
  }

  private func tell(_ call: VonageCall, _ status: String) {
    send("call.leg", ["id": .string(call.id), "leg": .string(call.leg), "status": .string(status)])
  }

  private func send(_ type: String, _ body: JSON) {
    link?.send(type, .object([.init(key: "type", value: .string(type))] + (body.members ?? [])))
  }

  /// Tells when the token runs out; its calls go on.
  private func watch(_ token: VonageToken) {
    let seconds = token.expiry - Date().timeIntervalSince1970
    expiry = context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
      self?.isExpired = true
      self?.send("session.error", ["reason": "tokenExpired"])
    }
  }

  private var expiry: LoopTimer?

  private func after(_ seconds: Double, _ work: @escaping @Sendable (VonageClientSession) -> Void) {
    timers.append(
      context.loop.schedule(at: EventLoop.now.advanced(byMilliseconds: seconds * 1_000)) { [weak self] in
        guard let self else { return }
        work(self)
      })
  }
}

extension VonageFake {
  func end(call id: String, of session: VonageClientSession) async {
    await session.end(call: id, reason: "remoteHangup")
  }

  func release(_ call: VonageCall) async { await call.release() }
}
