import Foundation
import TestSupport
import Testing

/// The commands that use sound devices, on a sound server of the test's own.
struct DeviceCommandTests {
  private static let modules = [
    "module-null-sink sink_name=spk rate=48000 channels=1",
    "module-null-sink sink_name=micin rate=48000 channels=1",
    "module-remap-source master=micin.monitor source_name=mic",
  ]

  private func on(_ server: SoundServer, _ line: String, in folder: Folder) throws -> Program.Outcome {
    try Program.shell("PULSE_SERVER=\(server.address) \(line)", in: folder)
  }

  @Test func devicesAreListed() throws {
    let server = try SoundServer(Self.modules)
    try server.control("set-default-sink", "spk")
    let folder = try Folder()
    let text = try on(server, "antiphon devices", in: folder)
    #expect(text.code == 0)
    #expect(text.text.contains("* spk  loudspeaker, 48000 Hz, 1 ch"))
    #expect(text.text.contains(" mic  microphone"))
    let json = try on(server, "antiphon devices --json", in: folder)
    let devices = try json.lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    #expect(devices.contains { $0?["id"] as? String == "spk.monitor" && $0?["isMonitor"] as? Bool == true })
  }

  @Test func withoutAServerTheMessageSaysWhatToDo() throws {
    let folder = try Folder()
    for command in ["devices", "monitor", "loopback"] {
      let result = try Program.shell("PULSE_SERVER=unix:/nowhere/pulse.sock antiphon \(command)", in: folder)
      #expect(result.code == 1)
      #expect(result.error.contains("start PulseAudio or PipeWire, or set PULSE_SERVER"))
    }
  }

  @Test func theMonitorShowsBothDirections() throws {
    let server = try SoundServer(Self.modules)
    try server.control("set-default-sink", "spk")
    let folder = try Folder()
    // A tone into the loudspeaker only, for as long as the monitor runs.
    try folder.write(sine(1_000, sampleRate: .hz48000, count: 480_000), "tone.wav", rate: .hz48000, encoding: .pcm16)
    let result = try on(
      server,
      """
      sh -c 'paplay -s \(server.address) -d spk tone.wav & antiphon monitor --capture mic --json --seconds 3; kill $!'
      """, in: folder)
    #expect(result.code == 0, "\(result.error)")
    let last = try #require(result.lines.last)
    let reading = try #require(JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: [String: Any]])
    #expect(reading["microphone"]?["rms"] is NSNull)
    #expect(try #require(reading["loudspeaker"]?["rms"] as? Double) > -12)
  }

  @Test func theLoopbackMeasuresItsLatency() throws {
    let server = try SoundServer(Self.modules)
    let folder = try Folder()
    let speech = data("speech/mic.wav")
    let result = try on(
      server,
      """
      sh -c 'paplay -s \(server.address) -d micin \(speech) & antiphon loopback --capture mic --playback spk --json \
      --seconds 6; kill $! 2> /dev/null; :'
      """, in: folder)
    #expect(result.code == 0, "\(result.error)")
    let told = try result.json()
    let latency = try #require(told["latencyMedianMilliseconds"] as? Double)
    #expect((25...250).contains(latency))
    #expect(told["playback"] as? String == "spk")
    #expect(try #require(told["concealedPercent"] as? Double) < 20)
  }
}
