internal import RTPTransport
internal import RealtimeCore

extension PeerTransport {
  /// What became of a datagram.
  public enum SendOutcome: Sendable {
    case sent
    /// The socket's buffer is full; the datagram is lost, as on the way.
    case wouldBlock
    /// There is no path now.
    case notConnected
    /// Longer than the settings allow, or empty.
    case wrongSize
  }

  /// Sends a protected RTP or RTCP packet over the selected pair, at once.
  /// - Threads: the loop's only; traps on another. Allocates nothing itself, and libnice nothing on a UDP path.
  @discardableResult
  public nonisolated func send(_ datagram: Span<UInt8>) -> SendOutcome {
    unsafe datagram.withUnsafeBufferPointer { bytes in
      nonisolated(unsafe) let bytes = unsafe bytes  // the same thread, called at once
      return assumeIsolated { unsafe $0.transmit(Span(_unsafeElements: bytes), at: EventLoop.now) }
    }
  }

  func transmit(_ datagram: Span<UInt8>, at now: MediaInstant) -> SendOutcome {
    let byteCount = datagram.count
    guard byteCount > 0, byteCount <= settings.maximumDatagramByteCount else {
      counts.oversizedDatagrams += 1
      return .wrongSize
    }
    guard let agent, agent.selectedPair != nil, agent.send(datagram) else {
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
  func received(_ bytes: UnsafeBufferPointer<UInt8>) {
    let datagram = unsafe Span(_unsafeElements: bytes)
    let now = EventLoop.now
    guard datagram.count <= settings.maximumDatagramByteCount else {
      counts.oversizedDatagrams += 1
      return
    }
    counts.packetsReceived += 1
    counts.bytesReceived += datagram.count
    counts.lastPacketReceivedTimestamp = now
    switch DatagramKind(datagram) {
    case .rtp, .rtcp:
      // Nothing is passed on before the peer has shown who it is.
      if keys != nil { receiver(datagram, now) } else { counts.datagramsWithoutKeys += 1 }
    case .dtls: receiveDTLS(datagram, at: now)
    case .stun, .turnChannel, .unknown: counts.unknownDatagrams += 1
    }
  }
}
