import MediaEngine
import TestSupport
import Testing

/// Settings come from negotiations and files: what no engine can be made with is thrown, with name and value.
@Suite struct SettingsTests {
  private func refusal(_ change: (inout MediaEngineSettings) -> Void) -> String? {
    var settings = MediaEngineSettings.voiceAgent
    settings.control = ControlSettings(canonicalName: "a", ntpAtZero: NTPTimestamp(rawValue: 0), seed: 1)
    change(&settings)
    do {
      _ = try MediaEngine(settings)
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test func unusableSettingsAreNamed() {
    #expect(refusal { _ in } == nil)
    let wrong: [(String, String, (inout MediaEngineSettings) -> Void)] = [
      ("control.interval", "-1.0", { $0.control?.interval = -1 }),
      ("control.interval", "nan", { $0.control?.interval = .nan }),
      ("control.bitrateRange", "-5...-1", { $0.control?.bitrateRange = -5 ... -1 }),
      ("control.bitrateRange", "500...600000", { $0.control?.bitrateRange = 500...600_000 }),
      ("headerExtension.audioLevel", "0", { $0.headerExtension.audioLevel = 0 }),
      ("headerExtension.transportSequence", "200", { $0.headerExtension.transportSequence = 200 }),
      (
        "headerExtension.transportSequence", "3, as audioLevel is",
        {
          $0.headerExtension.audioLevel = 3
          $0.headerExtension.transportSequence = 3
        }
      ),
      ("headerExtension.midValue.utf8.count", "0", { $0.headerExtension.mid = 4 }),
      ("bandCount", "-1", { $0.bandCount = -1 }),
      ("telephoneEventType", "111, as receiveFormat.payloadType is", { $0.telephoneEventType = 111 }),
      ("receiveFormat.payloadType", "200", { $0.receiveFormat.payloadType = 200 }),
      ("otherReceiveFormats.count", "8", { $0.otherReceiveFormats = (0..<8).map { .opus(payloadType: 96 + $0) } }),
      ("otherReceiveFormats[0].payloadType", "111, as", { $0.otherReceiveFormats = [.opus()] }),
      ("redundancy.sendLevels", "9", { $0.redundancy = .init(sendLevels: 9) }),
      ("jitterBuffer.packetCapacity", "1", { $0.jitterBuffer.packetCapacity = 1 }),
      ("jitterBuffer.millisecondsPerLatePercent", "nan", { $0.jitterBuffer.millisecondsPerLatePercent = .nan }),
      ("streamPlayout.capacitySeconds", "0", { $0.streamPlayout.capacitySeconds = 0 }),
      ("tailMilliseconds", "7", { $0.echoCanceller?.tailMilliseconds = 7 }),
      ("noiseAttenuation", "-3", { $0.noiseAttenuation = -3 }),
      ("Opus setting complexity", "11", { $0.opus.complexity = 11 }),
      ("Opus setting expectedPacketLoss", "101", { $0.opus.expectedPacketLoss = 101 }),
      ("engine", "8000", { $0.engineRate = .hz8000 }),
    ]
    for (name, value, change) in wrong {
      let text = refusal(change)
      #expect(text?.contains(name) == true && text?.contains(value) == true, "\(name): \(text ?? "accepted")")
    }
  }

  /// Two ends with default settings do not collide, and a second engine of the same settings is the same stream.
  @Test func everyDefaultStreamIsAnother() throws {
    let streams = (0..<100).map { _ in MediaEngineSettings.voiceAgent.stream }
    #expect(Set(streams.map(\.ssrc)).count > 98)
    #expect(Set(streams.map(\.firstTimestamp)).count > 98)
    #expect(streams.allSatisfy { $0.firstSequenceNumber < 32_768 })
    var random = SeededRandom(seed: 4)
    var again = SeededRandom(seed: 4)
    #expect(MediaEngineSettings.StreamIdentity.random(using: &random) == .random(using: &again))
  }
}
