internal import RTPTransport
internal import RealtimeCore

/// The way of datagrams between ICE, DTLS and media: told apart, counted, and kept from media until the keys are there.
///
/// Beside the actor and not inside it: entering an actor from a callback costs two allocations a datagram.
/// - Threads: the loop's only; unchecked, since C callbacks come outside of any actor.
final class DatagramPath: @unchecked Sendable {
  /// What datagrams go through; `nil` before the start and after the end.
  var agent: ICEAgent?
  /// Whether the peer has shown who it is, so that media may pass.
  var isOpen = false
  /// Gets the handshake's datagrams.
  var onHandshake: (_ datagram: [UInt8], _ now: MediaInstant) -> Void = { _, _ in }
  var counts = TransportStatistics()
  private let receiver: PeerTransport.Receiver
  private let limit: Int

  init(limit: Int, receiver: @escaping PeerTransport.Receiver) {
    self.limit = limit
    self.receiver = receiver
  }

  func send(_ datagram: Span<UInt8>, at now: MediaInstant) -> PeerTransport.SendOutcome {
    let byteCount = datagram.count
    guard byteCount > 0, byteCount <= limit else {
      counts.oversizedDatagrams += 1
      return .wrongSize
    }
    guard let agent, agent.hasPath, agent.send(datagram) else {
      counts.packetsDiscardedOnSend += 1
      counts.bytesDiscardedOnSend += byteCount
      return agent?.state == .connected || agent?.state == .completed ? .wouldBlock : .notConnected
    }
    counts.packetsSent += 1
    counts.bytesSent += byteCount
    counts.lastPacketSentTimestamp = now
    return .sent
  }

  /// Takes a datagram from ICE, which has let through those of checked paths only, and kept STUN.
  func received(_ bytes: UnsafeBufferPointer<UInt8>, at now: MediaInstant) {
    let datagram = unsafe Span(_unsafeElements: bytes)
    guard datagram.count <= limit else {
      counts.oversizedDatagrams += 1
      return
    }
    counts.packetsReceived += 1
    counts.bytesReceived += datagram.count
    counts.lastPacketReceivedTimestamp = now
    switch DatagramKind(datagram) {
    case .rtp, .rtcp: if isOpen { receiver(datagram, now) } else { counts.datagramsWithoutKeys += 1 }
    case .dtls: unsafe onHandshake(Array(bytes), now)
    case .stun, .turnChannel, .unknown: counts.unknownDatagrams += 1
    }
  }
}
