import AudioDevices
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// A loudspeaker whose monitor is the default microphone.
private let loop = [
  "module-null-sink sink_name=spk rate=48000 channels=2",
  "module-remap-source master=spk.monitor source_name=mic channels=1",
]

@Suite(.serialized) struct PulseTests {
  /// Waits for a count that another thread makes grow.
  private func reaches(_ wanted: Int, seconds: Double = 10, _ count: () -> Int) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while count() < wanted, Date() < end { sched_yield() }
    return count() >= wanted
  }

  @Test func devicesAreListedWithTheirDefaults() throws {
    let server = try SoundServer(loop + ["module-null-sink sink_name=other rate=44100 channels=1"])
    try server.control("set-default-sink", "spk")
    try server.control("set-default-source", "mic")
    let system = try AudioSystem(address: server.address)
    let devices = try system.devices()
    let speaker = try #require(devices.first { $0.id == "spk" })
    #expect(speaker.direction == .playback && speaker.isDefault && speaker.channelCount == 2)
    #expect(speaker.sampleRate == .hz48000)
    let other = try #require(devices.first { $0.id == "other" })
    #expect(!other.isDefault && other.sampleRate == .hz44100)
    let microphone = try #require(devices.first { $0.id == "mic" })
    #expect(microphone.direction == .capture && microphone.isDefault && !microphone.isMonitor)
    #expect(devices.contains { $0.id == "spk.monitor" && $0.isMonitor })
  }

  @Test func aToneComesBackThroughLoudspeakerAndMicrophone() throws {
    let server = try SoundServer(loop)
    let system = try AudioSystem(address: server.address)
    let client = ToneClient(hertz: 1_000)
    let stream = try system.start(client, devices("mic", "spk"))
    #expect(reaches(10) { client.blocksWithTone.load(ordering: .relaxed) })
    #expect(stream.playbackStatistics.device == "spk" && stream.captureStatistics.device == "mic")
    #expect(stream.captureStatistics.sampleCount >= 48_000)
    #expect((0...200).contains(stream.playbackStatistics.latencyMilliseconds))
    stream.stop()
    let after = client.rendered.load(ordering: .relaxed)
    _ = try system.devices()
    #expect(client.rendered.load(ordering: .relaxed) == after, "nothing is asked for after the end")
  }

  @Test(arguments: [8_000, 16_000, 24_000, 44_100])
  func anyRateIsMadeOfTheDevices(hertz: Int) throws {
    let server = try SoundServer(loop)
    let system = try AudioSystem(address: server.address)
    let client = ToneClient(hertz: 500, sampleRate: try SampleRate(hertz: hertz))
    var settings = devices("mic", "spk")
    settings.sampleRate = try SampleRate(hertz: hertz)
    let stream = try system.start(client, settings)
    #expect(reaches(5) { client.blocksWithTone.load(ordering: .relaxed) })
    stream.stop()
  }

  @Test func aDeviceThatGoesAwayIsReplacedByTheDefault() throws {
    let server = try SoundServer(loop)
    let usb = try server.control("load-module", "module-null-sink", "sink_name=usb")
    try server.control("set-default-sink", "spk")
    let system = try AudioSystem(address: server.address)
    let log = EventLog(system)
    let client = ToneClient(hertz: 1_000)
    let stream = try system.start(client, devices("mic", "usb"))
    #expect(reaches(4_800) { client.rendered.load(ordering: .relaxed) })
    try server.control("unload-module", usb)
    #expect(log.wait { $0 == .moved(.playback, id: "spk") })
    #expect(reaches(5) { client.blocksWithTone.load(ordering: .relaxed) }, "the tone goes on at the other loudspeaker")
    #expect(stream.playbackStatistics.device == "spk")
    #expect(try !system.devices().contains { $0.id == "usb" })
  }

  @Test func withoutAnyDeviceTheStreamWaitsForOne() throws {
    let server = try SoundServer([])
    let usb = try server.control("load-module", "module-null-sink", "sink_name=usb")
    let system = try AudioSystem(address: server.address)
    let log = EventLog(system)
    let client = ToneClient(hertz: 1_000)
    var settings = DeviceSettings()
    settings.capturesAudio = false
    let stream = try system.start(client, settings)
    #expect(reaches(4_800) { client.rendered.load(ordering: .relaxed) })
    try server.control("unload-module", usb)
    #expect(log.wait { $0 == .unavailable(.playback) })
    #expect(stream.playbackStatistics.device == nil)
    try server.control("load-module", "module-null-sink", "sink_name=again")
    #expect(log.wait { $0 == .moved(.playback, id: "again") })
    let before = client.rendered.load(ordering: .relaxed)
    #expect(reaches(before + 4_800) { client.rendered.load(ordering: .relaxed) })
  }

  @Test func devicesAreChosenInMidCall() throws {
    let server = try SoundServer(loop + ["module-null-sink sink_name=second"])
    let system = try AudioSystem(address: server.address)
    let log = EventLog(system)
    let client = ToneClient(hertz: 1_000)
    let stream = try system.start(client, devices("second.monitor", "spk"))
    #expect(reaches(48_000) { client.captured.load(ordering: .relaxed) })
    #expect(client.blocksWithTone.load(ordering: .relaxed) == 0, "another loudspeaker's monitor hears nothing")
    try stream.select("second", .playback)
    #expect(log.wait { $0 == .moved(.playback, id: "second") })
    #expect(reaches(5) { client.blocksWithTone.load(ordering: .relaxed) })
    #expect(throws: AudioDeviceError.noDevice(id: "nothing", .playback)) { try stream.select("nothing", .playback) }
  }

  /// The answer to a choice may come when the stream has ended already.
  @Test func aStreamMayEndWhileItMoves() throws {
    let server = try SoundServer(loop + ["module-null-sink sink_name=second"])
    let system = try AudioSystem(address: server.address)
    for _ in 0..<20 {
      let stream = try system.start(ToneClient(hertz: 1_000), devices("mic", "spk"))
      try stream.select("second", .playback)
      stream.stop()
    }
    #expect(try system.devices().contains { $0.id == "second" })
  }

  @Test func pluggingIsTold() throws {
    let server = try SoundServer(loop)
    try server.control("set-default-sink", "spk")
    let system = try AudioSystem(address: server.address)
    let log = EventLog(system)
    let usb = try server.control("load-module", "module-null-sink", "sink_name=usb")
    #expect(log.wait { if case .added(let device) = $0 { device.id == "usb" } else { false } })
    try server.control("set-default-sink", "usb")
    #expect(log.wait { $0 == .defaultChanged(.playback, id: "usb") })
    try server.control("unload-module", usb)
    #expect(log.wait { if case .removed(let device) = $0 { device.id == "usb" } else { false } })
  }

  @Test func aServerThatDiesAndComesBackIsFoundAgain() throws {
    let server = try SoundServer(loop)
    let system = try AudioSystem(address: server.address)
    let log = EventLog(system)
    let client = ToneClient(hertz: 1_000)
    let stream = try system.start(client)
    #expect(reaches(4_800) { client.rendered.load(ordering: .relaxed) })
    server.crash()
    #expect(log.wait { $0 == .serverLost })
    #expect(throws: AudioDeviceError.self) { try system.devices() }
    try server.start(loop)
    #expect(log.wait { $0 == .serverBack })
    let before = client.rendered.load(ordering: .relaxed)
    #expect(reaches(before + 4_800) { client.rendered.load(ordering: .relaxed) })
    stream.stop()
  }

  @Test func whatCannotBeIsRefusedWithAMessage() throws {
    do {
      _ = try AudioSystem(address: "unix:/nowhere/pulse.sock")
      Issue.record("there is no server")
    } catch {
      #expect("\(error)".contains("no sound server answers at unix:/nowhere/pulse.sock"))
      #expect("\(error)".contains("PULSE_SERVER"))
    }
    let server = try SoundServer([])
    let system = try AudioSystem(address: server.address)
    var settings = DeviceSettings()
    settings.capturesAudio = false
    #expect(throws: AudioDeviceError.noDevices(.playback)) { _ = try system.start(ToneClient(hertz: 1), settings) }
    settings = DeviceSettings()
    settings.latencyMilliseconds = 0
    #expect(throws: AudioDeviceError.self) { _ = try system.start(ToneClient(hertz: 1), settings) }
    settings = DeviceSettings()
    settings.sampleRate = try SampleRate(hertz: 1_000)
    #expect(throws: AudioDeviceError.self) { _ = try system.start(ToneClient(hertz: 1), settings) }
  }

  /// The machinery of a call leaves nothing behind.
  @Test func manyStartsAndStopsLeaveNoDescriptorAndNoThread() throws {
    let server = try SoundServer(loop)
    func openCount() throws -> (Int, Int) {
      (
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
      )
    }
    func once() throws {
      let system = try AudioSystem(address: server.address)
      let stream = try system.start(ToneClient(hertz: 1_000), devices("mic", "spk"))
      stream.stop()
    }
    try once()
    let before = try openCount()
    for _ in 0..<50 { try once() }
    let after = try openCount()
    // Other tests run beside this one, so a few may differ; a leak would be fifty.
    #expect(after.0 < before.0 + 25 && after.1 < before.1 + 25)
  }

  private func devices(_ capture: String, _ playback: String) -> DeviceSettings {
    var settings = DeviceSettings()
    settings.capture = capture
    settings.playback = playback
    return settings
  }
}
