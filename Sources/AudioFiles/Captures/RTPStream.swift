public import RealtimeCore

/// One RTP stream of a capture: the packets of one SSRC from one endpoint to another.
public struct RTPStream: Sendable {
  /// What tells streams apart. The same SSRC over two paths (SMPTE 2022-7) is two streams.
  public struct Identity: Hashable, Sendable {
    /// Who sent the packets.
    public let source: NetworkEndpoint
    /// Whom they were sent to.
    public let destination: NetworkEndpoint
    /// The synchronization source, which the sender chose at random.
    public let ssrc: UInt32
  }

  /// The packets of one payload type within a stream.
  public struct PayloadUse: Sendable {
    /// 0 to 127.
    public let payloadType: UInt8
    /// Its meaning by number, or by an SDP in the same capture; `nil` when neither tells.
    public internal(set) var name: PayloadName?
    /// Distinct packets.
    public internal(set) var packetCount = 0
    /// Bytes of media in them.
    public internal(set) var payloadByteCount = 0
    /// Timing of these packets alone, RFC 3550 §6.4.1.
    public internal(set) var jitter: ArrivalJitter
  }

  /// What tells this stream from others.
  public let identity: Identity
  /// Packets that arrived, duplicates included.
  public private(set) var receivedCount = 0
  /// Packets whose sequence number had been seen.
  public private(set) var duplicateCount = 0
  /// Packets that came after one with a later number.
  public private(set) var reorderedCount = 0
  /// Times that the sequence number jumped so far that the sender must have started anew.
  public private(set) var restartCount = 0
  /// Payload types in the order of their first packets.
  public private(set) var payloads: [PayloadUse] = []
  /// The first packet's arrival and the last one's.
  public private(set) var arrivals: ClosedRange<MediaInstant>
  /// Sequence number of the first packet that came.
  public let firstSequenceNumber: SequenceNumber
  /// The highest sequence number since the last start.
  public var lastSequenceNumber: SequenceNumber { SequenceNumber(UInt16(truncatingIfNeeded: tracker.highest)) }

  private var tracker: SequenceTracker
  private var expectedBeforeRestart: Int64 = 0
  private var ticksBeforeRestart: Int64 = 0
  private var timeline: MediaTimeline

  /// Packets of sequence numbers from the first to the last.
  public var expectedCount: Int { Int(expectedBeforeRestart + tracker.expectedCount) }
  /// Different packets that arrived.
  public var distinctCount: Int { receivedCount - duplicateCount }
  /// Packets that never arrived; never negative.
  public var lostCount: Int { max(0, expectedCount - distinctCount) }
  /// The payload type with most packets.
  public var mainPayload: PayloadUse { payloads.max { $0.packetCount < $1.packetCount }! }
  /// Ticks of the media clock from the first packet's timestamp to the end of the last packet.
  public var mediaTicks: Int { Int(ticksBeforeRestart + timeline.ticks) }
  /// Ticks from one packet to the next, as most packets have it; 0 when no two are neighbours.
  public var packetTicks: Int { timeline.packetTicks }
  /// The media clock by payload type or SDP, else guessed from the arrivals; `nil` when there is too little to guess.
  public var clockRate: Int? { mainPayload.name?.clockRate ?? mainPayload.jitter.clockRate }
  /// Length of the media in seconds; `nil` while the clock rate is not known.
  public var mediaSeconds: Double? { clockRate.map { Double(mediaTicks) / Double($0) } }

  init(identity: Identity, first header: RTPHeaderPeek, at arrival: MediaInstant) {
    self.identity = identity
    firstSequenceNumber = SequenceNumber(header.sequenceNumber)
    arrivals = arrival...arrival
    tracker = SequenceTracker(first: header.sequenceNumber)
    timeline = MediaTimeline(first: header.timestamp)
  }

  /// The stream with guesses made from what there is, and payload types named by SDP that came later.
  func completed(names: [UInt8: PayloadName]) -> RTPStream {
    var stream = self
    for index in stream.payloads.indices {
      if stream.payloads[index].name == nil { stream.payloads[index].name = names[stream.payloads[index].payloadType] }
      stream.payloads[index].jitter.complete()
    }
    return stream
  }

  /// Whether the numbers of the packets so far go on as those of a real stream do.
  var isConvincing: Bool { distinctCount >= 3 && tracker.consecutiveCount * 4 >= distinctCount }

  mutating func add(_ header: RTPHeaderPeek, name: PayloadName?, at arrival: MediaInstant) {
    receivedCount += 1
    arrivals = min(arrivals.lowerBound, arrival)...max(arrivals.upperBound, arrival)
    switch tracker.place(header.sequenceNumber) {
    case .first, .next: timeline.add(header.timestamp, isNext: true)
    case .ahead: timeline.add(header.timestamp, isNext: false)
    case .reordered: reorderedCount += 1
    case .duplicate:
      duplicateCount += 1
      return
    case .stray:
      // Counted as received only; if the next one follows it, it was the start of a new run.
      receivedCount -= 1
      return
    case .restart:
      restartCount += 1
      receivedCount += 1
      expectedBeforeRestart += tracker.finishedCount
      ticksBeforeRestart += timeline.ticks
      timeline = MediaTimeline(first: header.timestamp)
      timeline.add(header.timestamp, isNext: false)
    }
    let index = payloads.firstIndex { $0.payloadType == header.payloadType }
    if let index {
      payloads[index].record(header, name: name, at: arrival)
    } else {
      var use = PayloadUse(payloadType: header.payloadType, jitter: ArrivalJitter(clockRate: name?.clockRate))
      use.record(header, name: name, at: arrival)
      payloads.append(use)
    }
  }
}

extension RTPStream.PayloadUse {
  mutating func record(_ header: RTPHeaderPeek, name: PayloadName?, at arrival: MediaInstant) {
    if self.name == nil { self.name = name }
    packetCount += 1
    payloadByteCount += header.payloadByteCount
    jitter.add(RTPTimestamp(header.timestamp), at: arrival)
  }
}
