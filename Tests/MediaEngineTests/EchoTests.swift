import AudioFiles
import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

/// The loudspeaker's sound, through a room into the microphone, does not come back to the agent.
@Suite struct EchoTests {
  /// The agent speaks, the user is silent: what the agent hears of itself in the last 4 s of 11 lies `reduction` dB
  /// below the echo at the microphone.
  private func reduction(_ engineRate: SampleRate, cancels: Bool) throws -> (decibels: Double, reported: Double) {
    var near = MediaEngineSettings.voiceAgent
    near.engineRate = engineRate
    near.automaticGain = nil  // it would amplify what is left
    near.noiseAttenuation = nil
    if !cancels { near.echoCanceller = nil }
    var settings = VirtualCall.Settings(near: near, far: .unprocessed)
    settings.room = try Recording("rooms/room.wav").samples
    var call = try VirtualCall(settings)
    let agent = try speech("agent", at: .hz48000)
    let silence = [Float](repeating: 0, count: 480)
    var (echo, heard) = ([Float](), [Float]())
    for tick in 0..<1_100 {
      call.tick(user: silence.span, agent: agent.block(tick: tick, rate: .hz48000).span)
      guard tick >= 700 else { continue }
      for index in 0..<480 {
        echo.append(call.microphone[index])
        heard.append(call.heard[index])
      }
    }
    #expect(powerDecibels(echo) > -50, "there is an echo to remove")
    return (powerDecibels(echo) - powerDecibels(heard), call.near.statistics.mediaSource.echoReturnLossEnhancement)
  }

  @Test(arguments: [SampleRate.hz16000, .hz24000, .hz48000])
  func theEchoIsRemoved(_ engineRate: SampleRate) throws {
    let (decibels, reported) = try reduction(engineRate, cancels: true)
    #expect(decibels > 35, "\(decibels) dB")
    #expect(reported > 25, "\(reported) dB in the statistics")
  }

  @Test func withoutCancellerTheEchoComesBack() throws {
    let (decibels, reported) = try reduction(.hz16000, cancels: false)
    #expect(abs(decibels) < 3, "\(decibels) dB")
    #expect(reported == 0)
  }

  /// The user is heard through the canceller, while the agent speaks too.
  @Test func theUserIsHeardInDoubleTalk() throws {
    var near = MediaEngineSettings.voiceAgent
    near.engineRate = .hz16000
    var settings = VirtualCall.Settings(near: near, far: .unprocessed)
    settings.room = try Recording("rooms/room.wav").samples
    var call = try VirtualCall(settings)
    let agent = try speech("agent", at: .hz48000)
    let user = try speech("mic", at: .hz48000)
    let start = 400  // the canceller has learnt the room
    var (spoken, heard) = ([Float](), [Float]())
    for tick in 0..<1_100 {
      let block = tick < start ? [Float](repeating: 0, count: 480) : user.block(tick: tick - start, rate: .hz48000)
      call.tick(user: block.span, agent: agent.block(tick: tick, rate: .hz48000).span)
      for index in stride(from: 0, to: 480, by: 6) {  // speech below 4 kHz is likeness enough
        spoken.append(block[index])
        heard.append(call.heard[index])
      }
    }
    var meter = try DelayMeter(sampleRate: 8_000)
    let readings = meter.measure(spoken, heard, threshold: 0.5)
    #expect(readings.count > 8, "\(readings.count)")
  }

  /// What is left of the agent's voice is no word of the user's: it would interrupt the agent.
  @Test(arguments: ["agent", "librispeech-7067_m.flac", "librispeech-302_f.flac"])
  func theAgentsOwnVoiceIsNoSpeechOfTheUser(_ name: String) throws {
    var settings = VirtualCall.Settings(near: .voiceAgent, far: .unprocessed)
    settings.near.engineRate = .hz16000
    settings.room = try Recording("rooms/room.wav").samples
    var call = try VirtualCall(settings)
    let agent = try name == "agent" ? speech("agent", at: .hz48000) : talker(name)
    let user = try speech("mic", at: .hz48000)
    let silence = [Float](repeating: 0, count: 480)
    var falseTicks: [Int] = []
    var heardTicks = 0
    for tick in 0..<1_400 {
      let block = tick < 900 ? silence : user.block(tick: tick - 900, rate: .hz48000)
      call.tick(user: block.span, agent: agent.block(tick: tick, rate: .hz48000).span)
      guard call.near.statistics.mediaSource.voiceActivity else { continue }
      if tick < 900 { falseTicks.append(tick) } else { heardTicks += 1 }
    }
    #expect(falseTicks.isEmpty)
    #expect(heardTicks > 200, "and the user is heard while the agent speaks")
  }

  private func talker(_ name: String) throws -> [Float] {
    var reader = try AudioFileReader(path: testdata.appendingPathComponent("speech/\(name)").path)
    let samples = try reader.readRemainingMono()
    var resampler = try Resampler(from: reader.format.sampleRate, to: .hz48000, skipsLatency: true)
    var output = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: samples.count) + 1)
    var span = output.mutableSpan
    let made = resampler.process(samples.span, into: &span).produced
    return (0..<made).map { output[$0] }
  }
}
