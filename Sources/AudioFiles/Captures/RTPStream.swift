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

    /// The stream with this SSRC from `source` to `destination`.
    public init(source: NetworkEndpoint, destination: NetworkEndpoint, ssrc: UInt32) {
      self.source = source
      self.destination = destination
      self.ssrc = ssrc
    }
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
    /// The shortest and the longest of them, in bytes.
    public internal(set) var payloadByteCounts: ClosedRange<Int>
    /// Timing of these packets alone, RFC 3550 §6.4.1.
    public internal(set) var jitter: ArrivalJitter
    var keys: TelephoneEventTracker

    /// Pressed keys: by name, or where nothing names the type by the shape of every packet (RFC 4733 §2.3).
    public var isTelephoneEvent: Bool {
      if let name { return name.isTelephoneEvent }
      return payloadType >= 96 && keys.isPlausible && !keys.events.isEmpty
    }
    /// Whether it is sound of its own; payload types that nothing names may be.
    public var isSound: Bool { name?.isSound ?? !isTelephoneEvent }
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
  private let firstTimestamp: UInt32
  private var holes = LossBurstTracker()
  private var newestArrival: MediaInstant

  /// Packets of sequence numbers from the first to the last.
  public var expectedCount: Int { Int(expectedBeforeRestart + tracker.expectedCount) }
  /// Different packets that arrived.
  public var distinctCount: Int { receivedCount - duplicateCount }
  /// Packets that never arrived; never negative.
  public var lostCount: Int { max(0, expectedCount - distinctCount) }
  /// The payload type of sound with most packets, or of anything where there is no sound.
  public var mainPayload: PayloadUse {
    payloads.max { ($0.isSound ? 1 : 0, $0.packetCount) < ($1.isSound ? 1 : 0, $1.packetCount) }!
  }
  /// Holes in the numbering, in the order of their numbers; the first 10,000.
  public var lossBursts: [LossBurst] { holes.bursts }
  /// Keys pressed, in the order in which they began; the first 10,000 of each payload type.
  public var telephoneEvents: [TelephoneEvent] {
    payloads.filter(\.isTelephoneEvent).flatMap(\.keys.events).sorted { $0.startTicks < $1.startTicks }
  }
  /// The clock of the events' durations: that of their SDP, else that of the sound beside them (RFC 4733 §2.1).
  public var telephoneEventClockRate: Int {
    let told = payloads.first(where: \.isTelephoneEvent)?.name?.clockRate
    let sound = payloads.filter(\.isSound).max { $0.packetCount < $1.packetCount }
    return told ?? sound?.name?.clockRate ?? sound?.jitter.clockRate ?? 8_000
  }
  /// Whether SDP in the capture asks for SRTP at either end of this stream.
  public internal(set) var isProtected = false
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
    firstTimestamp = header.timestamp
    newestArrival = arrival
  }

  /// The stream with guesses made from what there is, and payload types named by SDP that came later.
  func completed(by directory: PayloadDirectory) -> RTPStream {
    var stream = self
    stream.isProtected = directory.isProtected(identity)
    for index in stream.payloads.indices {
      if stream.payloads[index].name == nil {
        stream.payloads[index].name = directory.name(stream.payloads[index].payloadType, of: identity)
      }
      stream.payloads[index].jitter.complete()
    }
    return stream
  }

  /// Whether the numbers of the packets so far go on as those of a real stream do.
  var isConvincing: Bool { distinctCount >= 3 && tracker.consecutiveCount * 4 >= distinctCount }

  /// - Parameter payload: what was captured of it.
  /// - Returns: whether it is a packet that had not come before.
  @discardableResult
  mutating func add(
    _ header: RTPHeaderPeek, payload: ArraySlice<UInt8>, name: PayloadName?, at arrival: MediaInstant
  ) -> Bool {
    receivedCount += 1
    let before = tracker.highest
    let arrivalBefore = newestArrival
    arrivals = min(arrivals.lowerBound, arrival)...max(arrivals.upperBound, arrival)
    switch tracker.place(header.sequenceNumber) {
    case .first, .next: timeline.add(header.timestamp, isNext: true)
    case .ahead:
      timeline.add(header.timestamp, isNext: false)
      holes.note(before + 1..<tracker.highest, before: arrivalBefore, behind: arrival)
    case .reordered:
      reorderedCount += 1
      holes.fill(tracker.unwrapped(header.sequenceNumber))
    case .duplicate:
      duplicateCount += 1
      return false
    case .stray:
      // Counted as received only; if the next one follows it, it was the start of a new run.
      receivedCount -= 1
      return false
    case .restart:
      restartCount += 1
      receivedCount += 1
      expectedBeforeRestart += tracker.finishedCount
      ticksBeforeRestart += timeline.ticks
      timeline = MediaTimeline(first: header.timestamp)
      timeline.add(header.timestamp, isNext: false)
    }
    if tracker.highest != before { newestArrival = arrival }
    let index = payloads.firstIndex { $0.payloadType == header.payloadType }
    if let index {
      payloads[index].record(header, payload: payload, name: name, at: arrival)
    } else {
      let byteCount = header.payloadByteCount
      var use = PayloadUse(
        payloadType: header.payloadType, payloadByteCounts: byteCount...byteCount,
        jitter: ArrivalJitter(clockRate: name?.clockRate), keys: TelephoneEventTracker(first: firstTimestamp))
      use.record(header, payload: payload, name: name, at: arrival)
      payloads.append(use)
    }
    return true
  }
}

extension RTPStream.PayloadUse {
  mutating func record(
    _ header: RTPHeaderPeek, payload: ArraySlice<UInt8>, name: PayloadName?, at arrival: MediaInstant
  ) {
    if self.name == nil { self.name = name }
    packetCount += 1
    let byteCount = header.payloadByteCount
    payloadByteCount += byteCount
    payloadByteCounts =
      min(payloadByteCounts.lowerBound, byteCount)...max(payloadByteCounts.upperBound, byteCount)
    keys.add(payload, timestamp: header.timestamp)
    jitter.add(RTPTimestamp(header.timestamp), at: arrival)
  }
}
