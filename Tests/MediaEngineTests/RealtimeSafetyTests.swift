import AudioCodecs
import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// The whole engine as a sound device and a socket move it, full duplex, with keys, over a network that loses, doubles
/// and reorders: no call may allocate, free, lock or make a system call.
///
/// Run twice: without a sanitizer heap operations are counted; with the real-time sanitizer (`Scripts/test realtime`) a
/// minute of audio is watched, and any finding ends the process.
@Suite struct RealtimeSafetyTests {
  /// Every codec at other rates of engine and device.
  static let ends: [(format: CodecFormat, engineRate: SampleRate, captureRate: SampleRate, renderRate: SampleRate)] = [
    (.opus(), .hz48000, .hz48000, .hz48000),
    (.opus(packetDuration: 60_000), .hz24000, .hz44100, .hz48000),
    (.pcmu, .hz16000, .hz48000, .hz44100),
    (.pcma, .hz48000, .hz16000, .hz16000),
    (.l16(.hz16000), .hz16000, .hz16000, .hz48000),
    (.g722, .hz16000, .hz48000, .hz48000),
    (.l24(.hz16000), .hz48000, .hz48000, .hz16000),
  ]

  @Test(arguments: ends.indices)
  func aCallTouchesNeitherHeapNorLocks(index: Int) throws {
    let (format, engineRate, captureRate, renderRate) = Self.ends[index]
    var settings = MediaEngineSettings.voiceAgent
    settings.sendFormat = format
    settings.receiveFormat = format
    settings.engineRate = engineRate
    settings.captureRate = captureRate
    settings.renderRate = renderRate
    settings.measuresStages = true
    settings.headerExtension.audioLevel = 1
    settings.headerExtension.transportSequence = 3
    settings.control = .test("end", seed: UInt64(index))
    settings.control?.allowsReducedSize = index % 2 == 0
    settings.control?.retransmits = true
    if index == 0 || index == 4 { settings.jitterBuffer.minimumDelayMilliseconds = 200 }  // time for an answer
    settings.control?.sendsTransportFeedback = true
    settings.control?.bitrateRange = 12_000...48_000
    let (nearSettings, farSettings) = try MediaEngineSettings.secured(settings, settings)
    var near = try WatchedEngine(nearSettings)
    var far = try WatchedEngine(farSettings)
    var downlink = SimulatedNetwork(.profile(.lossy), seed: 1)
    var uplink = SimulatedNetwork(.profile(.lossy), seed: 2)
    let user = try speech("mic", at: captureRate)
    let agent = try speech("agent", at: captureRate)
    var microphone = SampleBuffer(repeating: 0, count: captureRate.hertz / 100)
    var (energy, seen) = (Float(0), Float(0))

    let tickCount = realtimeSanitizerIsLinked ? 6_000 : 600
    for tick in 0..<tickCount {
      let now = MediaInstant(milliseconds: Double(10 * tick))
      while let next = downlink.deliver(by: now) { near.receive(next.datagram, at: next.arrival) }
      while let next = uplink.deliver(by: now) { far.receive(next.datagram, at: next.arrival) }
      energy += near.render(at: now) + far.render(at: now)
      // For a second in ten the microphone is driven far beyond full scale, at which SpeexDSP would print a warning.
      let gain: Float = tick % 1_000 >= 300 && tick % 1_000 < 400 ? 100 : 1
      for place in 0..<microphone.count {
        microphone[place] = gain * user[(tick * microphone.count + place) % user.count]
      }
      near.capture(microphone, at: now)
      for place in 0..<microphone.count { microphone[place] = agent[(tick * microphone.count + place) % agent.count] }
      far.capture(microphone, at: now)
      while let packet = near.poll(at: now) { uplink.send(packet, at: now) }
      while let packet = far.poll(at: now) { downlink.send(packet, at: now) }
      if tick % 7 == 0 { near.receive(Self.garbage[tick % Self.garbage.count], at: now) }
      seen += near.look(tick: tick) + far.look(tick: tick)
    }

    #expect(near.heapOperationCount == 0)
    #expect(far.heapOperationCount == 0)
    #expect(near.callCount > 4 * tickCount)
    // It was a call: sound came through, and all that can happen to packets did.
    #expect(energy > 1 && seen.isFinite)
    let inbound = near.statistics.inboundRTP
    #expect(inbound.packetsReceived > tickCount / 10)
    #expect(inbound.packetsLost > 0 && inbound.concealedSamples > 0)
    #expect(inbound.nackCount > 0 || !(index == 0 || index == 4))
    #expect(near.statistics.remoteInboundRTP.roundTripTimeMeasurements > 0)
    #expect(near.statistics.faults.ignoredControlPackets == 0)
    #expect(downlink.counts.duplicated > 0 || tickCount < 6_000)
    #expect(near.statistics.faults.malformedPackets > 0 && near.statistics.faults.unauthenticPackets > 0)
  }

  /// What a sender may do beyond one codec: copies (RED) out and in, pauses described by noise parameters, other negotiated
  /// codecs in mid-call, and answers to the receiver's requests.
  @Test func copiesNoiseOtherCodecsAndRequestsTouchNeitherHeapNorLocks() throws {
    var settings = MediaEngineSettings.voiceAgent
    settings.sendFormat = .pcmu
    settings.receiveFormat = .pcmu
    settings.otherReceiveFormats = [.pcma, .opus(), .g722]
    settings.redundancy = MediaEngineSettings.Redundancy(sendLevels: 2)
    settings.jitterBuffer.minimumDelayMilliseconds = 120  // time for an answer
    var near = try WatchedEngine(settings)
    var far = try WatchedEngine(settings)
    var downlink = SimulatedNetwork(.profile(.lossy), seed: 3)
    let agent = try speech("agent", at: .hz48000)
    var sender = try ChangingSender()
    var microphone = SampleBuffer(repeating: 0, count: 480)
    var (energy, asked) = (Float(0), 0)
    let tickCount = realtimeSanitizerIsLinked ? 6_000 : 1_000
    for tick in 0..<tickCount {
      let now = MediaInstant(milliseconds: Double(10 * tick))
      while let next = downlink.deliver(by: now) { near.receive(next.datagram, at: next.arrival) }
      energy += near.render(at: now)
      for place in 0..<480 { microphone[place] = agent[(tick * 480 + place) % agent.count] }
      far.capture(microphone, at: now)
      near.capture(microphone, at: now)
      while let packet = far.poll(at: now) { downlink.send(sender.change(packet, tick: tick), at: now) }
      while let packet = near.poll(at: now) { far.receive(packet, at: now) }
      for number in near.requests(at: now) {
        asked += 1
        if let again = sender.sent[number] { downlink.send(again, at: now) }
      }
      energy += far.render(at: now) + near.look(tick: tick) * 0
    }
    #expect(near.heapOperationCount == 0 && far.heapOperationCount == 0)
    let inbound = near.statistics.inboundRTP
    #expect(energy > 1 && asked > 0)
    #expect(inbound.fecPacketsReceived > inbound.fecPacketsDiscarded && inbound.fecPacketsDiscarded > 0)
    #expect(inbound.totalSamplesReceived > inbound.jitterBufferEmittedCount + inbound.concealedSamples, "noise")
    #expect(near.statistics.faults.unknownPayloadTypes == 0)
    #expect(near.statistics.faults.malformedPackets == 0)
  }

  /// Turns the packets of a sender of RED into what it might send else, and keeps them.
  private struct ChangingSender {
    private(set) var sent: [UInt16: [UInt8]] = [:]
    private let frames: [[UInt8]]

    init() throws {
      var encoder = try AudioEncoder(.opus(), sampleRate: .hz48000)
      let tone = sine(500, sampleRate: .hz48000, count: 960 * 50)
      frames = try (0..<50).map { index in
        var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadByteCount)
        var span = payload.mutableSpan
        let count = try encoder.encode(tone[index * 960..<(index + 1) * 960].span, into: &span)
        return Array(payload.prefix(count))
      }
    }

    mutating func change(_ packet: [UInt8], tick: Int) -> [UInt8] {
      let number = UInt16(packet[2]) << 8 | UInt16(packet[3])
      var header = Array(packet[..<12])
      var payload = Array(packet[12...])
      func become(_ type: UInt8, _ bytes: [UInt8]) {
        header[1] = type
        payload = bytes
      }
      switch tick % 400 {
      case 100..<150: become(13, [50, 127, 120])
      case 200..<250: become(8, Array(packet.suffix(160)))
      case 250..<300:
        let ticks = packet[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } &* 6
        for place in 0..<4 { header[4 + place] = UInt8(truncatingIfNeeded: ticks >> UInt32(24 - 8 * place)) }
        become(111, frames[Int(number) % frames.count])
      case 300..<350: become(9, Array(packet.suffix(160)))
      default: break
      }
      sent[number] = header + payload
      return header + payload
    }
  }

  /// Datagrams that are refused: too short, another protocol, a false packet of the announced stream.
  private static let garbage: [[UInt8]] = [
    [0x80], [0xFF, 0xFF, 0xFF], [0x80, 200, 0, 1, 0, 0, 0, 0],
    [0x80, 111, 0, 200, 0, 0, 0, 1, 0x0B, 0x0B, 0x0B, 0x0B] + [UInt8](repeating: 9, count: 60),
  ]
}

/// That the sanitizer catches what it should, and only that: without this control its silence would mean nothing.
@Suite(.enabled(if: realtimeSanitizerIsLinked, "only with the real-time sanitizer: Scripts/test realtime"))
struct RealtimeSafetyControlTests {
  @Test func aCleanRegionPasses() throws {
    let (status, output) = try control("none")
    #expect(status == 0 && output.contains("passed under the sanitizer"), "\(status): \(output)")
  }

  @Test(arguments: [
    ("allocation", "posix_memalign"), ("library", "malloc"), ("lock", "pthread_mutex_lock"),
  ])
  func aForbiddenCallIsCaught(_ kind: String, _ call: String) throws {
    let (status, output) = try control(kind)
    #expect(status != 0)
    #expect(output.contains("Intercepted call to real-time unsafe function `\(call)`"), "\(output)")
  }

  /// Runs the program beside this test's own; gives its status and all it printed.
  private func control(_ kind: String) throws -> (status: Int32, output: String) {
    let here = URL(fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let process = Process()
    process.executableURL = here.deletingLastPathComponent().appendingPathComponent("RealtimeControl")
    process.arguments = [kind]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
