import AudioCodecs
import CallSimulation
import Foundation
import MediaEngine
import RTPTransport
import RealtimeCore
import SignalProcessing
import TestSupport

/// Every codec as a call uses it.
let allFormats: [CodecFormat] = [.opus(), .pcmu, .pcma, .g722, .l16(.hz16000), .l24(.hz16000)]

/// Two engines on virtual time with a network between them. What the devices want in a tick of 10 ms differs by a sample
/// where their rate is no multiple of 100 Hz, as real devices' blocks do.
struct TestCall: ~Copyable {
  var near: MediaEngine
  var far: MediaEngine
  /// From the far engine to the near one.
  var downlink: SimulatedNetwork
  /// From the near engine to the far one.
  var uplink: SimulatedNetwork
  /// All that the near end's loudspeaker has played.
  private(set) var nearHeard: [Float] = []
  /// All that the far end's loudspeaker has played.
  private(set) var farHeard: [Float] = []
  /// Datagrams that the near engine sent.
  private(set) var nearSent: [[UInt8]] = []
  private(set) var tickCount = 0

  init(
    near: MediaEngineSettings, far: MediaEngineSettings, downlink: SimulatedNetwork.Model = .profile(NetworkProfile()),
    uplink: SimulatedNetwork.Model = .profile(NetworkProfile()), seed: UInt64 = 1
  ) throws {
    let nearEngine = try MediaEngine(near)
    let farEngine = try MediaEngine(far)
    self.near = nearEngine
    self.far = farEngine
    self.downlink = SimulatedNetwork(downlink, seed: seed)
    self.uplink = SimulatedNetwork(uplink, seed: seed &+ 1)
  }

  var now: MediaInstant { MediaInstant(nanoseconds: Int64(tickCount) * 10_000_000) }

  /// Goes on until `tickCount` is `end`; `user` and `agent` are recordings at the rates at which the ends capture, silent
  /// beyond their ends.
  mutating func run(until end: Int, user: [Float] = [], agent: [Float] = []) {
    while tickCount < end { tick(user: user, agent: agent) }
  }

  mutating func tick(user: [Float], agent: [Float]) {
    while let next = downlink.deliver(by: now) { near.receive(next.datagram.span, at: next.arrival) }
    while let next = uplink.deliver(by: now) { far.receive(next.datagram.span, at: next.arrival) }
    nearHeard += near.rendered(tick: tickCount)
    farHeard += far.rendered(tick: tickCount)
    // A block is handed over when its last sample was taken.
    near.capture(user.block(tick: tickCount, rate: near.settings.captureRate).span, at: now)
    far.capture(agent.block(tick: tickCount, rate: far.settings.captureRate).span, at: now)
    tickCount += 1
    for datagram in near.datagrams(at: now) {
      nearSent.append(datagram)
      uplink.send(datagram, at: now)
    }
    for datagram in far.datagrams(at: now) { downlink.send(datagram, at: now) }
  }
}

/// Samples that a device at `rate` takes or gives in a tick.
func tickRange(_ tick: Int, _ rate: SampleRate) -> Range<Int> {
  tick * rate.hertz / 100..<(tick + 1) * rate.hertz / 100
}

extension [Float] {
  /// The samples of one tick, silence beyond the end.
  func block(tick: Int, rate: SampleRate) -> [Float] {
    tickRange(tick, rate).map { $0 < count ? self[$0] : 0 }
  }
}

extension MediaEngine {
  /// Renders one tick.
  mutating func rendered(tick: Int) -> [Float] {
    rendered(count: tickRange(tick, settings.renderRate).count, at: MediaInstant(milliseconds: Double(10 * tick)))
  }

  /// Renders `count` samples.
  mutating func rendered(count: Int, at now: MediaInstant) -> [Float] {
    var block = [Float](repeating: .nan, count: count)
    render(into: &block, at: now)
    return block
  }

  /// As `receive` for spans, which `#expect` cannot take apart.
  @discardableResult
  mutating func receive(_ datagram: [UInt8], at now: MediaInstant) -> ReceiveOutcome {
    receive(datagram.span, at: now)
  }

  /// All datagrams that wait, events passed over.
  mutating func datagrams(at now: MediaInstant) -> [[UInt8]] {
    drained(at: now).datagrams
  }

  /// All that waits.
  mutating func drained(at now: MediaInstant) -> (datagrams: [[UInt8]], events: [MediaEvent]) {
    var buffer = [UInt8](repeating: 0, count: maximumDatagramByteCount)
    var datagrams: [[UInt8]] = []
    var events: [MediaEvent] = []
    while true {
      switch poll(into: &buffer, at: now) {
      case .transmit(let byteCount): datagrams.append(Array(buffer[..<byteCount]))
      case .event(let event): events.append(event)
      case .wait: return (datagrams, events)
      }
    }
  }
}

extension MediaEngineSettings {
  /// An end without processing that sends and receives `format`; its devices run at `deviceRate`.
  static func plain(
    _ format: CodecFormat, engineRate: SampleRate = .hz16000, deviceRate: SampleRate = .hz16000
  ) -> MediaEngineSettings {
    var settings = MediaEngineSettings.unprocessed
    settings.sendFormat = format
    settings.receiveFormat = format
    settings.engineRate = engineRate
    settings.captureRate = deviceRate
    settings.renderRate = deviceRate
    return settings
  }

  /// Both ends with keys of their own and announced SSRCs.
  static func secured(
    _ near: MediaEngineSettings, _ far: MediaEngineSettings, profile: SRTPProfile = .aes128CounterModeSHA1x80
  ) throws -> (near: MediaEngineSettings, far: MediaEngineSettings) {
    var (near, far) = (near, far)
    let up = try SRTPKey.numbered(profile, from: 1)
    let down = try SRTPKey.numbered(profile, from: 100)
    near.security = .init(send: up, receive: down)
    far.security = .init(send: down, receive: up)
    near.stream = .init(ssrc: 0x0A0A_0A0A, firstSequenceNumber: 30_000, firstTimestamp: 4_000_000_000)
    far.stream = .init(ssrc: 0x0B0B_0B0B, firstSequenceNumber: 100, firstTimestamp: 5)
    near.remoteSSRC = far.stream.ssrc
    far.remoteSSRC = near.stream.ssrc
    return (near, far)
  }
}

extension SRTPKey {
  /// A key of consecutive numbers.
  static func numbered(_ profile: SRTPProfile, from first: Int) throws -> SRTPKey {
    try SRTPKey(
      profile, keyAndSalt: (0..<profile.keyByteCount + profile.saltByteCount).map { UInt8((first + $0) & 255) })
  }
}

/// A recording of testdata at another rate, aligned in time.
func speech(_ name: String, at rate: SampleRate) throws -> [Float] {
  let recording = try Recording("speech/\(name).wav")
  guard recording.sampleRate != rate else { return recording.samples }
  var resampler = try Resampler(from: recording.sampleRate, to: rate, skipsLatency: true)
  var output = SampleBuffer(
    repeating: 0, count: resampler.maximumOutputSampleCount(forInput: recording.samples.count) + 1)
  var span = output.mutableSpan
  let made = resampler.process(recording.samples.span, into: &span).produced
  return (0..<made).map { output[$0] }
}
