internal import AudioCodecs
public import AudioFiles
public import JitterBuffer
internal import RTPTransport
public import RealtimeCore

/// Plays one stream of a capture as a receiver would have heard it: packets enter a jitter buffer when the capture says
/// that they came, playout asks for 10 ms at 0, 10, 20, … ms behind the first of them, all on virtual time.
///
/// Several payload types within the stream each have a buffer; playout goes from one to the next where the sender did.
/// Telephone events and comfort noise are pauses of the sender, not losses. Where the capture's clock jumps, or nothing
/// comes for a minute, playout starts anew 2 s later.
/// - Threads: one at a time. Same capture, same samples.
public final class StreamReplay {
  /// The rate of the samples.
  public let sampleRate: SampleRate
  /// Packets by what became of them.
  public private(set) var outcomes: [Outcome: Int] = [:]
  /// Jumps of the capture's clock, and silences of the network that were shortened.
  public private(set) var clockJumpCount = 0
  /// Seconds by which silences were shortened.
  public private(set) var secondsLeftOut = 0.0
  /// Times that the sender went from one codec to another.
  public private(set) var codecChangeCount = 0

  private let stream: CapturedStream
  private let settings: JitterBufferSettings
  private var formats: [UInt8: CapturedStream.Payload] = [:]
  private var playouts: [UInt8: FormatPlayout] = [:]
  private var current: (payloadType: UInt8, playout: FormatPlayout)?
  /// What follows once the present codec's sound has been played, and since when.
  private var next: (payloadType: UInt8, playout: FormatPlayout, since: MediaInstant)?
  private var now = MediaInstant.zero
  /// What is taken from the capture's time; `nil` before the first packet.
  private var origin: MediaInstant?
  private var newestArrival = MediaInstant.zero
  private var newestNumber: SequenceNumber?
  private var isPause = false
  /// Nothing more comes, or not for long: what is there is played, and then nothing is concealed.
  private var isEnding = false
  private var transits: [UInt8: TransitMeter] = [:]

  /// No speech pauses for a minute; a call on hold does.
  private static let longestSilence = 60_000.0
  private static let keptSilence = 2_000.0
  /// Captures of several interfaces may be out of order by less.
  private static let clockTolerance = 1_000.0
  /// A codec that is still heard so long after another began gives way.
  private static let longestOverlap = 500.0

  /// - Parameters:
  ///   - stream: with a payload type that is decoded here.
  ///   - sampleRate: of the output; `nil` is the highest rate among the stream's decoders.
  /// - Throws: `StreamReplayError.nothingToDecode`, or what a decoder says.
  public init(
    _ stream: CapturedStream, sampleRate: SampleRate? = nil, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws {
    self.stream = stream
    for payload in stream.payloads where payload.format != nil { formats[payload.use.payloadType] = payload }
    self.settings = Self.settings(for: stream, settings)
    var rate = sampleRate
    if rate == nil {
      for payload in formats.values {
        let own = try AudioDecoder(payload.format!, sampleRate: .hz48000).sampleRate
        rate = max(rate ?? own, own)
      }
    }
    guard let rate, !formats.isEmpty else { throw StreamReplayError.nothingToDecode }
    self.sampleRate = rate
  }

  /// Short packets need more slots, long ones larger slots.
  private static func settings(for stream: CapturedStream, _ given: JitterBufferSettings) -> JitterBufferSettings {
    var settings = given
    let longest = stream.payloads.filter { $0.format != nil }.map(\.use.payloadByteCounts.upperBound).max() ?? 0
    settings.maximumPayloadSize = min(65_535, max(given.maximumPayloadSize, longest))
    if let rate = stream.stream.clockRate, stream.stream.packetTicks > 0 {
      settings.packetCapacity = min(2_000, max(given.packetCapacity, 2 * rate / stream.stream.packetTicks))
    }
    return settings
  }

  /// The counters of all buffers together, in samples of the output's rate.
  public var statistics: JitterBufferStatistics {
    playouts.values.reduce(into: JitterBufferStatistics()) { sum, playout in
      let factor = Double(sampleRate.hertz) / Double(playout.buffer.sampleRate.hertz)
      sum.add(playout.buffer.statistics, samplesTimes: factor)
    }
  }

  /// Takes a datagram of the stream, in the order of the capture; plays up to its arrival first.
  public func receive(_ datagram: Datagram, observer: any StreamReplayObserver) throws {
    let arrival = try place(datagram.arrival, observer)
    while now < arrival { try play(observer) }
    let bytes = datagram.payload
    let packet: RTPPacket
    do throws(RTPError) {
      packet = try RTPPacket(bytes.span)
    } catch {
      return note(.malformed, arrival: arrival, transit: nil, isReordered: false, observer)
    }
    let header = packet.header
    let isReordered = newestNumber.map { $0.distance(to: header.sequenceNumber) < 0 } ?? false
    if !isReordered { newestNumber = header.sequenceNumber }
    let isCut = datagram.originalByteCount > bytes.count
    let outcome = try take(header, Array(bytes[packet.payloadRange]), isCut: isCut, at: arrival)
    var transit: Double?
    if formats[header.payloadType] != nil {
      transit = transits[header.payloadType, default: TransitMeter(formats[header.payloadType]!.format!.clockRate)]
        .measure(header.timestamp, at: arrival)
    }
    note(outcome, arrival: arrival, transit: transit, isReordered: isReordered, observer)
  }

  /// Plays what is left.
  public func finish(observer: any StreamReplayObserver) throws {
    // What waits is a few hundred milliseconds; a buffer that holds on to its packets does not hold us.
    let limit = now.advanced(byMilliseconds: 5_000)
    isEnding = true
    while now < limit, next != nil || current.map({ !$0.playout.isDone || $0.playout.buffer.packetCount > 0 }) ?? false
    {
      try play(observer)
    }
    try current?.playout.drain { try observer.played($0, point) }
  }

  private func note(
    _ outcome: Outcome, arrival: MediaInstant, transit: Double?, isReordered: Bool, _ observer: any StreamReplayObserver
  ) {
    outcomes[outcome, default: 0] += 1
    observer.received(
      Packet(arrival: arrival, transitMilliseconds: transit, isReordered: isReordered, outcome: outcome))
  }

  /// The arrival on the replay's time.
  private func place(_ captured: MediaInstant, _ observer: any StreamReplayObserver) throws -> MediaInstant {
    let from = origin ?? captured
    origin = from
    let arrival = MediaInstant(nanoseconds: captured.nanoseconds &- from.nanoseconds)
    let step = arrival.milliseconds(since: newestArrival)
    guard step > Self.longestSilence || step < -Self.clockTolerance else {
      newestArrival = max(newestArrival, arrival)
      return arrival
    }
    // What came before is played to its end; then the time line begins anew.
    clockJumpCount += 1
    let placed = newestArrival.advanced(byMilliseconds: Self.keptSilence)
    if step > 0 { secondsLeftOut += (step - Self.keptSilence) / 1_000 }
    isEnding = true
    while now < placed { try play(observer) }
    isEnding = false
    for playout in playouts.values { playout.reset() }
    transits = [:]
    origin = MediaInstant(nanoseconds: captured.nanoseconds &- placed.nanoseconds)
    newestArrival = placed
    return placed
  }

  private func take(
    _ header: RTPHeader, _ payload: [UInt8], isCut: Bool, at arrival: MediaInstant
  ) throws -> Outcome {
    let type = header.payloadType
    guard let known = formats[type], let format = known.format else {
      current?.playout.noteForeignPacket(header.sequenceNumber)
      next?.playout.noteForeignPacket(header.sequenceNumber)
      let use = stream.payloads.first { $0.use.payloadType == type }
      guard let use, use.use.isTelephoneEvent || use.name?.isComfortNoise == true else { return .undecodable }
      isPause = true
      return .event
    }
    if isCut { return .cutShort }
    // An empty packet keeps a path open (RFC 6263 §4.1).
    if payload.isEmpty { return .event }
    let playout = try playout(of: type, known, format, at: arrival)
    let inserted = playout.insert(
      payload, sequenceNumber: header.sequenceNumber, timestamp: header.timestamp, at: arrival)
    if inserted.isHeld { isPause = false }
    switch inserted {
    case .inserted, .insertedInPlaceOfOldest, .restarted: return .inserted
    case .duplicate: return .duplicate
    case .tooLate: return .tooLate
    case .malformed: return .malformed
    case .implausible: return .implausible
    }
  }

  /// The buffer for packets of `type`: the present one, or one that takes over.
  private func playout(
    of type: UInt8, _ payload: CapturedStream.Payload, _ format: CodecFormat, at arrival: MediaInstant
  ) throws -> FormatPlayout {
    if let current, current.payloadType == type { return current.playout }
    if let next, next.payloadType == type { return next.playout }
    let playout =
      try playouts[type]
      ?? FormatPlayout(
        format: format, channelCount: payload.name?.channelCount ?? 1, outputRate: sampleRate, settings: settings)
    playouts[type] = playout
    if current == nil {
      current = (type, playout)
    } else {
      if next != nil { takeOver() }
      next = (type, playout, arrival)
      codecChangeCount += 1
    }
    return playout
  }

  private func takeOver() {
    guard let next else { return }
    current?.playout.reset()
    current = (next.payloadType, next.playout)
    self.next = nil
  }

  private func play(_ observer: any StreamReplayObserver) throws {
    if let next, let current {
      let isLong = now.milliseconds(since: next.since) > Self.longestOverlap
      if current.playout.isDone || isLong {
        try current.playout.drain { try observer.played($0, point) }
        takeOver()
      }
    }
    guard let current else {
      // Keys before any sound.
      now = now.advanced(byMilliseconds: 10)
      return
    }
    try current.playout.play(at: now, stopsAtEnd: isPause || isEnding || next != nil) { try observer.played($0, point) }
    now = now.advanced(byMilliseconds: 10)
  }

  private var point: Point {
    Point(
      instant: now, playoutDelay: current?.playout.buffer.playoutDelay ?? 0,
      targetDelay: current?.playout.buffer.targetDelay ?? 0, statistics: statistics, isPause: isPause)
  }
}
