import DemoAgent
import Foundation
import Networking
import RealtimeCore
import TestSupport
import Testing

@testable import VoiceSession

/// The client with sound, against the demo agent's back end of the stand-in.
@MainActor @Suite("Vonage: the client over the stand-in", .timeLimit(.minutes(1)))
struct VoiceClientTests {
  @Test("the tutorial: log in, call, hear and be heard, end")
  func tutorial() async throws {
    let call = try await TestLine(.echo)
    let model = CallModel(environment: call.environment)
    model.setup(webSocketURL: call.server.url, token: token())
    #expect(await eventually { model.status == "Connected" })
    model.number = "15550100"
    model.startCall()
    #expect(model.isCalling)
    #expect(await eventually { call.sound.heardFrequency() == 440 })
    model.endCall()
    #expect(await eventually { !model.isCalling && model.number.isEmpty })
    #expect(await eventually { model.client.calls.isEmpty })
    await call.stop(model.client)
  }

  @Test("an end before the call has an id is kept for it; a call that fails resets")
  func earlyEnd() async throws {
    let call = try await TestLine(.tone(700))
    let model = CallModel(environment: call.environment)
    // Without a session there is no call.
    model.startCall()
    #expect(await eventually { !model.isCalling })
    model.setup(webSocketURL: call.server.url, token: token())
    #expect(await eventually { model.status == "Connected" })
    model.startCall()
    model.endCall()
    #expect(await eventually { !model.isCalling })
    #expect(model.client.calls.isEmpty)
    #expect(await eventually { call.frames("call.hangup") == 1 })
    // And once more, to the end.
    model.startCall()
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    model.endCall()
    #expect(await eventually { !model.isCalling })
    await call.stop(model.client)
  }

  @Test("mute, earmuff, hold and keys, as they are heard")
  func controls() async throws {
    let call = try await TestLine(.echo)
    let client = call.client()
    try await client.createSession(token())
    let id = try await client.serverCall(["to": "15550100"])
    #expect(await eventually { call.sound.heardFrequency() == 440 })
    for (on, off) in [
      (client.mute, client.unmute), (client.enableEarmuff, client.disableEarmuff), (client.hold, client.unhold),
    ] as [(@MainActor (String) async throws -> Void, @MainActor (String) async throws -> Void)] {
      try await on(id)
      #expect(await eventually { call.sound.newestPower < -60 })
      try await off(id)
      #expect(await eventually { call.sound.heardFrequency() == 440 })
    }
    let events = client.events
    let keys = Task {
      for await event in events { if case .dtmf(_, _, let digits) = event { return digits } }
      return ""
    }
    try await client.sendDTMF(id, withDigits: "12#")
    #expect(await keys.value == "12#")
    await #expect(throws: SessionError.self) { try await client.sendDTMF(id, withDigits: "x") }
    await #expect(throws: SessionError.vonageNoCall) { try await client.mute("CON-0") }
    #expect(call.frames("call.mute") == 4 && call.frames("call.earmuff") == 4)
    let quality = Task {
      for await event in client.events {
        if case .hangup(_, let quality, let reason) = event { return (quality, reason) }
      }
      return (VoiceQuality(score: nil, measured: nil), .unknown)
    }
    try await Task.sleep(for: .seconds(1.2))
    try await client.hangup(id)
    let (figure, reason) = await quality.value
    #expect(reason == .localHangup)
    #expect((figure.meanOpinionScore ?? 0) > 4)
    #expect((figure.measured?.meanOpinionScore ?? 0) > 4)
    await call.stop(client)
  }

  @Test("two calls at once, each with its own sound and end")
  func twoCalls() async throws {
    let call = try await TestLine(.tone(700))
    let client = call.client()
    try await client.createSession(token())
    async let first = client.serverCall(["to": "1"])
    async let second = client.serverCall(["to": "2"])
    let (one, other) = try await (first, second)
    #expect(one != other)
    #expect(await eventually { client.calls.values.filter { $0.state == .active }.count == 2 })
    try await client.hold(one)
    #expect(await eventually { client.calls[one]?.state == .holding })
    #expect(client.calls[other]?.state == .active)
    try await client.hangup(one)
    #expect(Array(client.calls.keys) == [other])
    call.sound.forget()
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    await call.stop(client)
    #expect(client.calls.isEmpty)
  }

  @Test("the token expires in mid-call: sound goes on, controls fail clearly, a new session has them again")
  func expiry() async throws {
    let call = try await TestLine(.echo)
    let client = call.client()
    let delegate = Told()
    client.delegate = delegate
    let session = try await client.createSession(token(seconds: 1.5))
    let id = try await client.serverCall(["to": "15550100"])
    #expect(await eventually { call.sound.heardFrequency() == 440 })
    #expect(await eventually { delegate.reasons == [.tokenExpired] })
    #expect(client.sessionState == .disconnected(.tokenExpired))
    await #expect(throws: SessionError.vonageNoSession) { try await client.hangup(id) }
    // The mute holds here, though nobody can be told.
    await #expect(throws: SessionError.vonageNoSession) { try await client.mute(id) }
    #expect(await eventually { call.sound.newestPower < -60 })
    await #expect(throws: SessionError.vonageNoSession) { try await client.unmute(id) }
    #expect(await eventually { call.sound.heardFrequency() == 440 })
    #expect(client.calls[id]?.state == .active)
    #expect(try await client.createSession(token(), sessionID: session) == session)
    try await client.reconnectCall(id)
    try await client.refreshSession(token())
    try await client.mute(id)
    #expect(await eventually { call.frames("call.mute") >= 2 })
    try await client.hangup(id)
    #expect(delegate.hangups == [.localHangup])
    await call.stop(client)
  }

  @Test("a call in: told, answered, heard; one that is cancelled; one that is rejected")
  func invites() async throws {
    let call = try await TestLine(.tone(700)) { $0.vonage.inviteSeconds = 0.1 }
    let client = call.client()
    let delegate = Told()
    client.delegate = delegate
    try await client.createSession(token())
    #expect(await eventually { delegate.invites.count == 1 })
    let id = try #require(delegate.invites.first)
    try await client.answer(id)
    #expect(client.calls[id]?.state == .active)
    #expect(await eventually { call.sound.heardFrequency() == 700 })
    await #expect(throws: SessionError.self) { try await client.answer(id) }
    try await client.hangup(id)
    await call.stop(client)

    let cancelled = try await TestLine(.tone(700)) {
      $0.vonage.inviteSeconds = 0.1
      $0.vonage.inviteCancel = (0.1, "answeredElsewhere")
    }
    let other = cancelled.client()
    other.delegate = delegate
    try await other.createSession(token())
    #expect(await eventually { delegate.cancels == [.answeredElsewhere] })
    #expect(await eventually { other.calls.isEmpty })
    await cancelled.stop(other)

    let rejected = try await TestLine(.tone(700)) { $0.vonage.inviteSeconds = 0.1 }
    let third = rejected.client()
    third.delegate = delegate
    try await third.createSession(token())
    #expect(await eventually { delegate.invites.count == 3 })
    try await third.reject(delegate.invites[2])
    #expect(await eventually { rejected.frames("call.reject") == 1 })
    await rejected.stop(third)
  }

  @Test("logins that are refused, and a client that has nowhere to go")
  func refusals() async throws {
    let call = try await TestLine(.tone(700))
    let client = call.client()
    await #expect(throws: SessionError.self) { try await client.createSession("x") }
    #expect(client.sessionState == .disconnected(.unknown))
    do throws(SessionError) { try await client.createSession(token(seconds: -1)) } catch {
      #expect(error.code == "tokenExpired")
    }
    try await client.createSession(token())
    await #expect(throws: SessionError.alreadyStarted) { try await client.createSession(token()) }
    await call.stop(client)
    let lost = VoiceClient(environment: call.environment)
    await #expect(throws: SessionError.vonageNoURL) { try await lost.createSession(token()) }
    lost.setConfig(VoiceClientConfig(webSocketURL: "ws://127.0.0.1:9/"))
    do throws(SessionError) { try await lost.createSession(token()) } catch {
      #expect(error.code == "transportClosed" && error.isRetryable)
    }
  }

  @Test("letting go of a client ends its calls")
  func lettingGo() async throws {
    let call = try await TestLine(.tone(700))
    do {
      let client = call.client()
      try await client.createSession(token())
      _ = try await client.serverCall(["to": "1"])
      #expect(await eventually { call.sound.heardFrequency() == 700 })
    }
    #expect(
      await eventually {
        let before = call.sound.sampleCount
        try? await Task.sleep(for: .milliseconds(50))
        return call.sound.sampleCount == before
      })
    await call.server.stop()
  }
}

/// A token in the form that the back end checks; its signature is none.
private func token(seconds: Double = 3_600) -> String {
  let now = Date().timeIntervalSince1970
  func part(_ json: JSON) -> String {
    Data(json.text.utf8).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }
  let claims: JSON = [
    "application_id": "app-1", "sub": "Alice", "iat": .number(now.rounded() - 5), "jti": "j1",
    "exp": .number(now + seconds),
  ]
  return part(["typ": "JWT", "alg": "RS256"]) + "." + part(claims) + ".c2ln"
}

@MainActor private struct TestLine {
  let server: DemoAgentServer
  let sound = TestSound()

  init(_ voice: AgentVoice, _ change: (inout DemoAgentSettings) -> Void = { _ in }) async throws {
    var settings = DemoAgentSettings()
    settings.voice = voice
    change(&settings)
    server = try await DemoAgentServer.start(as: .vonage, settings: settings, on: EventLoop())
  }

  var environment: SessionEnvironment {
    var environment = SessionEnvironment(sound: sound.sound)
    environment.engine = .unprocessed
    environment.peer.transport.ice.allowsLoopback = true
    environment.peer.transport.ice.localAddresses = ["127.0.0.1"]
    return environment
  }

  func client() -> VoiceClient {
    let client = VoiceClient(environment: environment)
    client.setConfig(VoiceClientConfig(webSocketURL: server.url))
    return client
  }

  /// How many messages of this type the back end has got.
  func frames(_ type: String) -> Int {
    server.received.count { $0.text.flatMap { try? JSON(parsing: $0) }?["type"].string == type }
  }

  func stop(_ client: VoiceClient) async {
    try? await client.deleteSession()
    await server.stop()
  }
}

@MainActor private final class Told: VoiceClientDelegate {
  var reasons: [VoiceSessionErrorReason] = []
  var hangups: [VoiceHangupReason] = []
  var invites: [String] = []
  var cancels: [VoiceInviteCancelReason] = []

  func client(_ client: VoiceClient, didReceiveSessionErrorWith reason: VoiceSessionErrorReason) {
    reasons.append(reason)
  }
  func voiceClient(
    _ client: VoiceClient, didReceiveHangupForCall callID: String, withQuality quality: VoiceQuality,
    reason: VoiceHangupReason
  ) { hangups.append(reason) }
  func voiceClient(
    _ client: VoiceClient, didReceiveInviteForCall callID: String, from caller: String, with type: VoiceChannelType
  ) { invites.append(callID) }
  func voiceClient(
    _ client: VoiceClient, didReceiveInviteCancelForCall callID: String, with reason: VoiceInviteCancelReason
  ) { cancels.append(reason) }
}

extension TestSound {
  /// Of the newest tenth of a second.
  fileprivate var newestPower: Double { powerDecibels(Array(samples.suffix(4_800))) }
}
