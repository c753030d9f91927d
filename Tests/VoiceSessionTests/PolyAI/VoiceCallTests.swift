import AudioDevices
import Foundation
import Networking
import Synchronization
import TestSupport
import Testing

@testable import VoiceSession

/// Calls over real sockets and in real time, with servers whose far end hums.
@MainActor @Suite("PolyAI: calls", .timeLimit(.minutes(1)))
struct VoiceCallTests {
  @Test func aToneBothWaysAndAGoodEnd() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    #expect(call.state == .idle)
    let states = Task { [states = call.states] in
      var all: [VoiceCallState] = []
      for await state in states { all.append(state) }
      return all
    }
    try await call.start()
    #expect(call.state == .connected)
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(await eventually { server.sound.heardFrequency() == 440 })
    #expect(call.agentState == .speaking)
    #expect(await server.messages.first?["payload"]["call_sid"].string == server.signals.first?["callSid"].string)
    await server.say("USER_MESSAGE", ["message_id": "m1", "text": "Hello"])
    #expect(await eventually { call.transcript.map(\.text) == ["Hello"] })
    // Who comes late begins with what holds.
    for await state in call.states {
      #expect(state == .connected)
      break
    }
    await call.end()
    #expect(call.state == .ended)
    #expect(await states.value == [.idle, .connecting, .connected, .ended])
    #expect(await eventually { await server.signals.last == ["type": "close", "sessionId": "g-9"] })
    await #expect(throws: PolyError.self) { try await call.start() }
    await server.stop()
  }

  @Test func muteAndInterruptionSendSilence() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    await call.setMuted(true)
    try await call.start()
    #expect(await call.isMuted)
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(powerDecibels(Array(server.sound.samples.suffix(4_800))) < -80)
    let frames = await server.signals.count
    await call.interruptionBegan()
    await call.setMuted(false)
    try await Task.sleep(for: .milliseconds(400))
    #expect(powerDecibels(Array(server.sound.samples.suffix(4_800))) < -80)
    await call.interruptionEnded(shouldResume: true)
    #expect(await eventually { server.sound.heardFrequency() == 440 })
    #expect(await server.signals.filter { $0["type"].string != "ice-candidate" }.count <= frames)
    await call.interruptionBegan()
    await call.interruptionEnded(shouldResume: false)
    #expect(await eventually { call.state == .failed(.voice(.interrupted)) })
    await call.end()
    await server.stop()
  }

  @Test func theGatewaysSocketMayBreakWhileTheSoundGoesOn() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    try await call.start()
    #expect(await eventually { sound.heardFrequency() == 700 })
    sound.forget()
    await server.dropGateway()
    await server.dropMessaging()
    #expect(await eventually { await server.gatewayConnections == 2 })
    #expect(await eventually { await server.messagingConnections == 2 })
    try await Task.sleep(for: .milliseconds(300))
    #expect(call.state == .connected)
    #expect(await server.signals.filter { $0["type"].string == "offer" }.count == 1)
    // Not a block of silence in all that time, from the first 100 ms on.
    let heard = Array(sound.samples.dropFirst(4_800))
    let quiet = stride(from: 0, to: heard.count - 960, by: 960).count {
      powerDecibels(Array(heard[$0..<$0 + 960])) < -40
    }
    #expect(quiet == 0)
    await call.end()
    await server.stop()
  }

  @Test func theGatewayHangsUpOrRefuses() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    try await call.start()
    await server.signal(["type": "close"])
    #expect(await eventually { call.state == .ended })
    let other = try await server.makeCall(sound)
    try await other.start()
    await server.signal(["type": "error", "data": ["message": "bad token"]])
    #expect(await eventually { other.state == .failed(.voice(.signalingFailed("bad token"))) })
    await other.end()
    await server.stop()
  }

  @Test func endingOrCancellingInMidStart() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    await server.setSilent()
    let call = try await server.makeCall(sound)
    await call.end()
    #expect(call.state == .idle, "there was nothing to end")
    let start = Task { try await call.start() }
    #expect(await eventually { await server.messagingConnections == 1 })
    await call.end()
    var error: PolyError?
    do { try await start.value } catch let thrown { error = thrown as? PolyError }
    guard case .voice(.signalingFailed) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(call.state == .ended)

    let other = try await server.makeCall(sound)
    let second = Task { try await other.start() }
    #expect(await eventually { await server.messagingConnections == 2 })
    second.cancel()
    await #expect(throws: PolyError.self) { try await second.value }
    await server.stop()
  }

  /// A call that is ended twice at some moment of its start.
  static func startAndGiveUp(after pause: Duration) async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    let start = Task { try? await call.start() }
    try await Task.sleep(for: pause)
    async let first: Void = call.end()
    async let second: Void = call.end()
    _ = await (first, second)
    await start.value
    // Where the end was ahead of the start, there is a call now.
    await call.end()
    #expect(!call.state.isActive)
    await server.stop()
  }

  @Test func lettingGoEndsTheCall() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    var call: VoiceCall? = try await server.makeCall(sound)
    try await call?.start()
    call = nil
    #expect(await eventually { await server.signals.last?["type"].string == "close" })
    await server.stop()
  }

  @Test func soundWaitsForTheSystemWhereItMust() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound, callKit: true)
    try await call.start()
    try await Task.sleep(for: .milliseconds(300))
    #expect(sound.sampleCount == 0, "the devices were opened without leave")
    #expect(powerDecibels(Array(server.sound.samples.suffix(4_800))) < -80)
    await call.audioSessionDidActivate()
    #expect(await eventually { sound.heardFrequency() == 700 })
    #expect(await eventually { server.sound.heardFrequency() == 440 })
    await call.audioSessionDidDeactivate()
    let count = sound.sampleCount
    try await Task.sleep(for: .milliseconds(200))
    #expect(sound.sampleCount == count)
    #expect(call.state == .connected)
    await call.end()
    await server.stop()
  }

  @Test func devicesAreChosenAndFollowed() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let shelf = DeviceShelf()
    let call = try await server.makeCall(sound, routes: shelf.routes)
    try await call.start()
    #expect(call.audioState.availableDevices.map(\.kind) == [.speakerphone, .earpiece])
    #expect(call.audioState.selectedDevice?.kind == .speakerphone)
    await call.setAudioDevice(call.audioState.availableDevices.first { $0.kind == .earpiece })
    #expect(call.audioState.selectedDevice?.kind == .earpiece)
    #expect(shelf.selected.withLock { $0 } == "e")
    await call.setAudioDevice(nil)
    shelf.plug(PolyValueTests.device("bluez_output.AA.1", "Buds"))
    #expect(await eventually { call.audioState.selectedDevice?.kind == .bluetooth })
    #expect(shelf.selected.withLock { $0 } == "bluez_output.AA.1")
    shelf.unplug("bluez_output.AA.1")
    #expect(await eventually { call.audioState.selectedDevice?.kind == .speakerphone })
    await call.end()
    await server.stop()
  }

  @Test func theExampleRuns() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let shelf = DeviceShelf()
    let screen = VoiceCallScreen { try await server.makeCall(sound, routes: shelf.routes) }
    try await screen.start()
    await screen.useEarpiece()
    #expect(await eventually { screen.output == "Earpiece" })
    await screen.stop()
    #expect(await eventually { screen.shown == ["connecting", "connected", "ended"] })
    await server.stop()
  }

  @Test func theCommonFaceCallsToo() async throws {
    let (server, sound) = (try await PolyTestServer.start(), TestSound())
    let call = try await server.makeCall(sound)
    let events = Task { [events = call.events] in
      var states: [SessionState] = []
      for await event in events { if case .state(let state) = event { states.append(state) } }
      return states
    }
    try await call.start()
    await call.end()
    #expect(await events.value.last == .ended(.local))
    await server.stop()
  }
}

/// Devices that come and go at a test's word.
final class DeviceShelf: Sendable {
  private let devices = Mutex([
    PolyValueTests.device("s", "Speaker", isDefault: true), PolyValueTests.device("e", "Earpiece"),
  ])
  private let listeners = Mutex<[AsyncStream<AudioDeviceEvent>.Continuation]>([])
  let selected = Mutex<String?>(nil)

  var routes: SoundRoutes {
    SoundRoutes(
      devices: { self.devices.withLock { $0 } },
      select: { id, direction in if direction == .playback { self.selected.withLock { $0 = id } } },
      events: { AsyncStream { continuation in self.listeners.withLock { $0.append(continuation) } } })
  }

  func plug(_ device: AudioDevice) {
    devices.withLock { $0.append(device) }
    tell(.added(device))
  }

  func unplug(_ id: String) {
    let gone = devices.withLock { devices in
      defer { devices.removeAll { $0.id == id } }
      return devices.first { $0.id == id }
    }
    if let gone { tell(.removed(gone)) }
  }

  private func tell(_ event: AudioDeviceEvent) {
    for listener in listeners.withLock({ $0 }) { listener.yield(event) }
  }
}
