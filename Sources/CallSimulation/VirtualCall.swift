public import MediaEngine
public import RealtimeCore
internal import SignalProcessing

/// A whole call on virtual time: a client with loudspeaker and microphone in a room, a network, the agent's end.
///
///     agent ─► far engine ─► network ─► near engine ─► loudspeaker ─┬► heard by the user
///                                                       room's echo ▼
///     heard by the agent ◄─ far engine ◄─ network ◄─ near engine ◄─ microphone ◄─ the user
///
/// Both ends are the same engine that a live call runs; only time, network and room are simulated. Nothing waits: a call
/// runs as fast as the processor allows, the same way each time.
public struct VirtualCall: ~Copyable {
  /// What the two ends and the way between them are.
  public struct Settings: Sendable {
    /// The client. `captureRate` and `renderRate` must be equal.
    public var near: MediaEngineSettings
    /// The agent's end. `captureRate` and `renderRate` must be equal.
    public var far: MediaEngineSettings
    /// Agent to client.
    public var downlink = SimulatedNetwork.Model.profile(.clean)
    /// Client to agent.
    public var uplink = SimulatedNetwork.Model.profile(.clean)
    /// Chooses one draw of the networks' chances; the same seed makes the same call.
    public var seed: UInt64 = 1
    /// From loudspeaker to microphone, at the client's rate; `nil`: a headset, no echo.
    public var room: [Float]?
    /// What the client's sound devices add to the echo's way, in ms.
    public var deviceDelayMilliseconds = 40

    /// Two ends on clean networks, without a room.
    public init(near: MediaEngineSettings, far: MediaEngineSettings) {
      self.near = near
      self.far = far
    }
  }

  /// The client's engine.
  public private(set) var near: MediaEngine
  /// The agent's end.
  public private(set) var far: MediaEngine
  /// The network to the client.
  public private(set) var downlink: SimulatedNetwork
  /// The network to the agent.
  public private(set) var uplink: SimulatedNetwork
  /// Virtual time now.
  public private(set) var now = MediaInstant.zero

  /// What the loudspeaker played in the last tick.
  public private(set) var played: SampleBuffer
  /// What the microphone took in the last tick, the user's voice and the echo.
  public private(set) var microphone: SampleBuffer
  /// What the agent heard in the last tick.
  public private(set) var heard: SampleBuffer

  private var echoPath: EchoPath?
  private var datagram: ByteBuffer

  /// Sets up both engines, networks and the room.
  public init(_ settings: Settings) throws {
    let nearRate = settings.near.captureRate
    let farRate = settings.far.captureRate
    precondition(
      nearRate == settings.near.renderRate && farRate == settings.far.renderRate,
      "VirtualCall: each end captures and renders at one rate")
    let near = try MediaEngine(settings.near)
    let far = try MediaEngine(settings.far)
    let block = nearRate.hertz / 100
    let longest = max(near.maximumDatagramByteCount, far.maximumDatagramByteCount)
    if let room = settings.room {
      let echoPath = try EchoPath(
        impulseResponse: room, delaySampleCount: nearRate.sampleCount(milliseconds: settings.deviceDelayMilliseconds),
        blockSampleCount: block)
      self.echoPath = consume echoPath
    } else {
      echoPath = nil
    }
    self.near = near
    self.far = far
    downlink = SimulatedNetwork(settings.downlink, seed: settings.seed)
    uplink = SimulatedNetwork(settings.uplink, seed: settings.seed &+ 0x5EED)
    played = SampleBuffer(repeating: 0, count: block)
    microphone = SampleBuffer(repeating: 0, count: block)
    heard = SampleBuffer(repeating: 0, count: farRate.hertz / 100)
    datagram = ByteBuffer(repeating: 0, count: longest)
  }

  /// Samples of the user's voice that a tick takes, at the client's rate.
  public var nearBlockSampleCount: Int { played.count }
  /// Samples of the agent's voice that a tick takes, at the agent's rate.
  public var farBlockSampleCount: Int { heard.count }

  /// Goes on by 10 ms: both ends speak, the networks deliver what is due, both ends hear.
  /// - Parameters:
  ///   - user: 10 ms of the user's voice, `nearBlockSampleCount` samples; the room adds the echo.
  ///   - agent: 10 ms of the agent's voice, `farBlockSampleCount` samples.
  public mutating func tick(user: Span<Float>, agent: Span<Float>) {
    // A block exists when its last sample does: it was captured, and is handed over, at the tick's end.
    let end = now.advanced(byNanoseconds: 10_000_000)

    deliver(by: now)
    near.render(into: &played, at: now)
    far.render(into: &heard, at: now)

    precondition(user.count == microphone.count, "VirtualCall: give 10 ms of the user's voice")
    for index in 0..<microphone.count { microphone[index] = user[index] }
    if echoPath != nil { Self.addEcho(of: played, by: &echoPath, to: &microphone) }
    near.capture(microphone, at: end)
    far.capture(agent, at: end)
    send(at: end)
    now = end
  }

  private static func addEcho(
    of played: borrowing SampleBuffer, by path: inout EchoPath?, to microphone: inout SampleBuffer
  ) {
    var samples = microphone.mutableSpan
    path?.process(loudspeaker: played.span, addingTo: &samples)
  }

  /// Whether the microphone is muted.
  public var isMuted: Bool {
    get { near.isMuted }
    set { near.isMuted = newValue }
  }

  private mutating func deliver(by now: MediaInstant) {
    while let next = downlink.deliver(by: now) { near.receive(next.datagram.span, at: next.arrival) }
    while let next = uplink.deliver(by: now) { far.receive(next.datagram.span, at: next.arrival) }
  }

  private mutating func send(at now: MediaInstant) {
    while let packet = Self.nextPacket(of: &near, in: &datagram, at: now) { uplink.send(packet, at: now) }
    while let packet = Self.nextPacket(of: &far, in: &datagram, at: now) { downlink.send(packet, at: now) }
  }

  /// The next datagram an engine wants to send, events passed over.
  private static func nextPacket(
    of engine: inout MediaEngine, in datagram: inout ByteBuffer, at now: MediaInstant
  ) -> [UInt8]? {
    while true {
      switch engine.poll(into: &datagram, at: now) {
      case .transmit(let byteCount): return (0..<byteCount).map { datagram[$0] }
      case .event: continue
      case .wait: return nil
      }
    }
  }
}
