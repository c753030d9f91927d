import Networking
import RTPTransport
import RealtimeCore
import Synchronization
import Testing

/// All events of one transport, as they come.
final class TransportEvents: Sendable {
  private let seen = Mutex<[PeerTransportEvent]>([])
  private let reading = Mutex<Task<Void, Never>?>(nil)

  init(_ transport: PeerTransport) {
    let stream = transport.events
    reading.withLock {
      $0 = Task { [weak self] in
        for await event in stream {
          guard let self else { return }
          self.seen.withLock { $0.append(event) }
        }
      }
    }
  }

  deinit { reading.withLock { $0?.cancel() } }

  var all: [PeerTransportEvent] { seen.withLock { $0 } }

  /// Whether an event of this kind comes, or has come, within `seconds`.
  func has(within seconds: Double = 10, _ isWanted: (PeerTransportEvent) -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while true {
      if all.contains(where: isWanted) { return true }
      if ContinuousClock.now > end { return false }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  var keys: DTLSTransport.Keys? {
    for case .connected(let keys) in all { return keys }
    return nil
  }
  var candidates: [ICECandidate] {
    all.compactMap { if case .localCandidate(let candidate) = $0 { candidate } else { nil } }
  }
  var pair: ICECandidatePair? {
    all.reversed().lazy.compactMap { if case .selectedPair(let pair) = $0 { pair } else { nil } }.first
  }
  var failure: PeerTransportError? {
    all.lazy.compactMap { if case .failed(let error) = $0 { error } else { nil } }.first
  }
}

extension PeerTransportEvent {
  var isConnected: Bool { if case .connected = self { true } else { false } }
  var isFailure: Bool { if case .failed = self { true } else { false } }
  var isCandidate: Bool { if case .localCandidate = self { true } else { false } }
  var isPair: Bool { if case .selectedPair = self { true } else { false } }
}

/// Datagrams that a transport gave to its receiver.
final class ReceivedDatagrams: Sendable {
  private let datagrams = Mutex<[[UInt8]]>([])
  var all: [[UInt8]] { datagrams.withLock { $0 } }
  var count: Int { datagrams.withLock { $0.count } }
  func note(_ datagram: Span<UInt8>) {
    let bytes = unsafe datagram.withUnsafeBufferPointer { unsafe Array($0) }
    datagrams.withLock { $0.append(bytes) }
  }

  /// Waits until there are `count`.
  func reach(_ count: Int, within seconds: Double = 5) async -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while self.count < count {
      if ContinuousClock.now > end { return false }
      try? await Task.sleep(for: .milliseconds(2))
    }
    return true
  }
}

/// One transport with what it said and got.
struct TestEnd {
  let transport: PeerTransport
  let events: TransportEvents
  let received = ReceivedDatagrams()
  let isControlling: Bool

  init(
    _ settings: PeerTransportSettings, isControlling: Bool = true, on loop: EventLoop,
    receiver: PeerTransport.Receiver? = nil
  ) throws {
    let received = received
    self.isControlling = isControlling
    transport = try PeerTransport(settings, on: loop) { datagram, arrival in
      if let receiver { receiver(datagram, arrival) } else { received.note(datagram) }
    }
    events = TransportEvents(transport)
  }

  /// An RTP packet of these contents, as far as the transport looks.
  static func packet(_ number: Int, byteCount: Int = 172) -> [UInt8] {
    [0x80, 0, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
      + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: byteCount - 4)
  }

  func gather() async throws { try await transport.gather(isControlling: isControlling) }

  /// Sends from the loop's thread, as media does.
  @discardableResult
  func send(_ datagram: [UInt8]) async -> PeerTransport.SendOutcome {
    let transport = transport
    return await withCheckedContinuation { done in
      transport.loop.perform { done.resume(returning: transport.send(datagram.span)) }
    }
  }
}

/// Settings for ends on this machine.
func loopbackSettings(_ addresses: [String] = ["127.0.0.1"], servers: [ICEServer] = []) -> PeerTransportSettings {
  var settings = PeerTransportSettings()
  settings.ice.allowsLoopback = true
  settings.ice.localAddresses = addresses
  settings.ice.servers = servers
  return settings
}

/// Gives one end's candidates to the other as they come, until its end or the stream's.
func trickle(_ from: PeerTransport, to other: PeerTransport) -> Task<Void, Never> {
  let stream = from.events
  return Task {
    for await event in stream {
      switch event {
      case .localCandidate(let candidate): try? await other.add(ICECandidate(candidate.text)!)
      case .gatheringState(.complete): try? await other.endOfRemoteCandidates()
      default: break
      }
    }
  }
}

/// Connects two ends: `first` is the DTLS client.
func connect(_ first: TestEnd, _ second: TestEnd) async throws {
  let tasks = [trickle(first.transport, to: second.transport), trickle(second.transport, to: first.transport)]
  defer { for task in tasks { task.cancel() } }
  let (ours, theirs) = await (first.transport.localParameters, second.transport.localParameters)
  try await first.gather()
  try await second.gather()
  try await first.transport.setRemote(theirs, role: .client)
  try await second.transport.setRemote(ours, role: .server)
  for end in [first, second] { _ = await end.events.has { $0.isConnected || $0.isFailure } }
}
