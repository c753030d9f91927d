import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// A whole simulated call is a function of its settings.
@Suite struct VirtualCallTests {
  private struct Outcome: Equatable {
    var played: [Float] = []
    var heard: [Float] = []
    var near = try? MediaEngine(.unprocessed).statistics
    var far = try? MediaEngine(.unprocessed).statistics
  }

  private func run(seed: UInt64, hasRoom: Bool = true) throws -> Outcome {
    var settings = VirtualCall.Settings(near: .voiceAgent, far: .unprocessed)
    settings.downlink = .profile(.wifi)
    settings.uplink = .profile(.lossy)
    settings.seed = seed
    settings.room = hasRoom ? try Recording("rooms/room.wav").samples : nil
    var call = try VirtualCall(settings)
    let agent = try Recording("speech/agent.wav").samples
    let user = try Recording("speech/mic.wav").samples
    var outcome = Outcome()
    for number in 0..<300 {
      // 16 kHz recordings at 48 kHz, each sample held: what they sound like does not matter here.
      let part = number * 160..<(number + 1) * 160
      tick(&call, user: user[part].flatMap { [$0, $0, $0] }, agent: agent[part].flatMap { [$0, $0, $0] })
      for index in 0..<480 {
        outcome.played.append(call.played[index])
        outcome.heard.append(call.heard[index])
      }
    }
    #expect(call.now == MediaInstant(milliseconds: 3_000))
    outcome.near = call.near.statistics
    outcome.far = call.far.statistics
    return outcome
  }

  private func tick(_ call: inout VirtualCall, user: [Float], agent: [Float]) {
    call.tick(user: user.span, agent: agent.span)
  }

  @Test func theSameSettingsGiveTheSameCall() throws {
    let first = try run(seed: 5)
    #expect(try run(seed: 5) == first)
    #expect(try run(seed: 6) != first)
    #expect(powerDecibels(first.played[48_000...]) > -40)
    #expect(powerDecibels(first.heard[48_000...]) > -50)
  }

  /// The loudspeaker plays the same with and without a room; only the microphone hears the difference.
  @Test func theRoomChangesTheMicrophoneOnly() throws {
    let (room, headset) = (try run(seed: 5), try run(seed: 5, hasRoom: false))
    #expect(room.played == headset.played)
    #expect(room.heard != headset.heard)
  }

  @Test func mutePassesSilenceOn() throws {
    var call = try VirtualCall(VirtualCall.Settings(near: .voiceAgent, far: .unprocessed))
    let blocks = (call.nearBlockSampleCount, call.farBlockSampleCount)
    #expect(blocks == (480, 480))
    call.isMuted = true
    let tone = sine(500, sampleRate: .hz48000, count: 480)
    var heard: [Float] = []
    for _ in 0..<100 {
      call.tick(user: tone.span, agent: tone.span)
      for index in 0..<480 { heard.append(call.heard[index]) }
    }
    #expect(powerDecibels(heard) < -70)
  }
}
