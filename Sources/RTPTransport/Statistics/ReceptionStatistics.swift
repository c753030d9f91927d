public import RealtimeCore

/// What arrived of one RTP stream: packets, loss, jitter. Names and units are those of W3C's webrtc-stats.
///
/// Give it each packet of the stream in the order of arrival; those that carry telephone events by `registerUntimed`.
/// - Threads: any one at a time.
/// - Source: RFC 3550 appendices A.1, A.3 and A.8.
@frozen
public struct ReceptionStatistics: Sendable, BitwiseCopyable {
  /// The numbering of the stream; tells duplicates, reordering and restarts apart.
  public private(set) var sequence: SequenceValidator
  /// Payload bytes received, headers and padding not counted.
  public private(set) var bytesReceived = 0
  /// Mean deviation of the packets' spacing at arrival from their spacing when sent, in seconds, smoothed over about 16
  /// packets.
  public private(set) var jitter: Double = 0
  /// When the latest counted packet came; `nil` before the first.
  public private(set) var lastPacketReceived: MediaInstant?

  private let secondsPerTick: Double
  private var lastTimestamp = RTPTimestamp(0)
  private var expectedAtReport = 0
  private var receivedAtReport = 0

  /// Statistics of a stream of which nothing came yet.
  /// - Parameters:
  ///   - clockRate: the codec's RTP clock in hertz, 1 or more: 48,000 for Opus, 8,000 for G.711.
  ///   - probation: see `SequenceValidator.init(probation:)`.
  public init(clockRate: Int, probation: Int = 2) {
    precondition(clockRate > 0, "ReceptionStatistics: a clock rate of \(clockRate) Hz; give the codec's RTP clock")
    secondsPerTick = 1 / Double(clockRate)
    sequence = SequenceValidator(probation: probation)
  }

  /// Packets received, duplicates included.
  public var packetsReceived: Int { @_noLocks get { sequence.receivedCount } }

  /// Packets sent that have not come. Negative when duplicates outnumber them (RFC 3550 §6.4.1).
  public var packetsLost: Int { @_noLocks get { sequence.expectedCount &- sequence.receivedCount } }

  /// Packets that came again; W3C's `packetsDuplicated`.
  public var packetsDuplicated: Int { @_noLocks get { sequence.duplicateCount } }

  /// Packets that came after one with a later number.
  public var packetsReordered: Int { @_noLocks get { sequence.reorderedCount } }

  /// Takes note of a packet.
  /// - Parameter payloadByteCount: without header and padding.
  /// - Returns: what its number says; `onProbation` and `farAway` are not counted.
  @discardableResult
  @_noLocks
  public mutating func register(
    _ header: RTPHeader, payloadByteCount: Int, at arrival: MediaInstant
  ) -> SequenceValidator.Outcome {
    let outcome = sequence.register(header.sequenceNumber)
    switch outcome {
    case .onProbation, .farAway: return outcome
    case .restarted: lastPacketReceived = nil  // the timestamps have started anew too
    case .inOrder, .reordered, .duplicate: break
    }
    bytesReceived &+= payloadByteCount
    updateJitter(header.timestamp, at: arrival)
    return outcome
  }

  /// Takes note of a packet whose timestamp is no measure of jitter, as a telephone event's, which repeats the event's
  /// beginning (RFC 4733 §2.1).
  /// - Returns: as `register`.
  @discardableResult
  @_noLocks
  public mutating func registerUntimed(_ header: RTPHeader, payloadByteCount: Int) -> SequenceValidator.Outcome {
    let outcome = sequence.register(header.sequenceNumber)
    switch outcome {
    case .onProbation, .farAway: return outcome
    case .restarted: lastPacketReceived = nil
    case .inOrder, .reordered, .duplicate: break
    }
    bytesReceived &+= payloadByteCount
    return outcome
  }

  // A.8: J += (|D| - J) / 16, where D is the change of transit time between two packets in the order of arrival.
  @_noLocks
  private mutating func updateJitter(_ timestamp: RTPTimestamp, at arrival: MediaInstant) {
    if let last = lastPacketReceived {
      let arrivalSpacing = Double(arrival.nanoseconds(since: last)) * 1e-9
      let sendingSpacing = Double(lastTimestamp.distance(to: timestamp)) * secondsPerTick
      let change = arrivalSpacing - sendingSpacing
      jitter += (change.magnitude - jitter) / 16
    }
    lastPacketReceived = arrival
    lastTimestamp = timestamp
  }

  /// The share of packets lost since this was last asked, in 256ths, 0 when duplicates outnumber losses (A.3).
  @_noLocks
  public mutating func takeFractionLost() -> UInt8 {
    let expected = sequence.expectedCount &- expectedAtReport
    let received = sequence.receivedCount &- receivedAtReport
    expectedAtReport = sequence.expectedCount
    receivedAtReport = sequence.receivedCount
    let lost = expected &- received
    guard expected > 0, lost > 0 else { return 0 }
    return UInt8(truncatingIfNeeded: Swift.min(255, (lost &<< 8) / expected))
  }
}
