internal import AudioCodecs
public import AudioFiles
public import JitterBuffer
internal import RTPTransport
public import RealtimeCore

/// Plays one stream of a capture as a receiver would have heard it: packets enter a jitter buffer when the capture says
/// that they came, playout asks for 10 ms at 0, 10, 20, … ms behind the first of them, all on virtual time.
///
/// Whatever the stream carries goes into one buffer: all codecs that the sender goes through, copies (RED), descriptions of
/// noise, and the numbers of telephone events. Where the capture's clock jumps, or nothing comes for a minute, playout
/// starts anew 2 s later.
/// - Threads: one at a time. Same capture, same samples.
public final class StreamReplay {
  /// The rate of the samples.
  public var sampleRate: SampleRate { player.sampleRate }
  /// Packets by what became of them.
  public private(set) var outcomes: [Outcome: Int] = [:]
  /// Jumps of the capture's clock, and silences of the network that were shortened.
  public private(set) var clockJumpCount = 0
  /// Seconds by which silences were shortened.
  public private(set) var secondsLeftOut = 0.0
  /// Times that the sender went from one codec to another.
  public private(set) var codecChangeCount = 0

  private let player: StreamPlayer
  private let uses: [UInt8: Use]
  private var soundType: UInt8?
  private var now = MediaInstant.zero
  /// What is taken from the capture's time; `nil` before the first packet.
  private var origin: MediaInstant?
  private var newestArrival = MediaInstant.zero
  private var newestNumber: SequenceNumber?
  private var isPause = false
  /// Nothing more comes, or not for long: what is there is played, and then nothing is concealed.
  private var isEnding = false
  private var transits: [Int: TransitMeter] = [:]

  /// What a payload type is to the buffer.
  private enum Use { case sound(clockRate: Int), redundant(clockRate: Int), noise, event, undecodable }

  /// No speech pauses for a minute; a call on hold does.
  private static let longestSilence = 60_000.0
  private static let keptSilence = 2_000.0
  /// Captures of several interfaces may be out of order by less.
  private static let clockTolerance = 1_000.0

  /// - Parameters:
  ///   - stream: with a payload type that is decoded here.
  ///   - sampleRate: of the output; `nil` is the highest rate among the stream's decoders.
  /// - Throws: `StreamReplayError.nothingToDecode`, or what a decoder says.
  public init(
    _ stream: CapturedStream, sampleRate: SampleRate? = nil, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws {
    player = try StreamPlayer(stream, outputRate: sampleRate, settings: Self.settings(for: stream, settings))
    uses = Dictionary(uniqueKeysWithValues: stream.payloads.map { ($0.use.payloadType, Self.use($0, in: stream)) })
  }

  private static func use(_ payload: CapturedStream.Payload, in stream: CapturedStream) -> Use {
    if let format = payload.format { return .sound(clockRate: format.clockRate) }
    if payload.use.isTelephoneEvent { return .event }
    guard let name = payload.name else { return .undecodable }
    if name.isComfortNoise { return .noise }
    return name.isRedundant && !stream.carried.isEmpty ? .redundant(clockRate: name.clockRate) : .undecodable
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

  /// The buffer's counters, in samples of the output's rate.
  public var statistics: JitterBufferStatistics { player.statistics }

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
    let outcome = take(header, Array(bytes[packet.payloadRange]), isCut: isCut, at: arrival)
    note(
      outcome, arrival: arrival, transit: transit(of: header, at: arrival), isReordered: isReordered, observer)
  }

  /// Plays what is left.
  public func finish(observer: any StreamReplayObserver) throws {
    // What waits is a few hundred milliseconds; a buffer that holds on to its packets does not hold us.
    let limit = now.advanced(byMilliseconds: 5_000)
    isEnding = true
    while now < limit, soundType != nil, !player.isDone { try play(observer) }
    try player.drain { try observer.played($0, point) }
  }

  private func note(
    _ outcome: Outcome, arrival: MediaInstant, transit: Double?, isReordered: Bool, _ observer: any StreamReplayObserver
  ) {
    outcomes[outcome, default: 0] += 1
    observer.received(
      Packet(arrival: arrival, transitMilliseconds: transit, isReordered: isReordered, outcome: outcome))
  }

  /// Arrival minus the place on the media clock, of sound.
  private func transit(of header: RTPHeader, at arrival: MediaInstant) -> Double? {
    switch uses[header.payloadType] {
    case .sound(let rate), .redundant(let rate):
      return transits[rate, default: TransitMeter(rate)].measure(header.timestamp, at: arrival)
    default: return nil
    }
  }

  /// The arrival on the replay's time.
  private func place(_ captured: MediaInstant, _ observer: any StreamReplayObserver) throws -> MediaInstant {
    let from = origin ?? captured
    origin = from
    let elapsed = MediaInstant(nanoseconds: captured.nanoseconds &- from.nanoseconds)
    let step = elapsed.milliseconds(since: newestArrival)
    // In a capture that is not quite sorted a packet may be older than the first: it counts as come with that.
    let arrival = max(elapsed, .zero)
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
    player.reset()
    transits = [:]
    origin = MediaInstant(nanoseconds: captured.nanoseconds &- placed.nanoseconds)
    newestArrival = placed
    return placed
  }

  private func take(_ header: RTPHeader, _ payload: [UInt8], isCut: Bool, at arrival: MediaInstant) -> Outcome {
    let use = uses[header.payloadType] ?? .undecodable
    switch use {
    case .event, .undecodable:
      player.noteForeignPacket(header.sequenceNumber)
      guard case .event = use else { return .undecodable }
      isPause = true
      return .event
    default: break
    }
    if isCut { return .cutShort }
    // An empty packet keeps a path open (RFC 6263 §4.1).
    if payload.isEmpty { return .event }
    let inserted: InsertOutcome
    switch use {
    case .noise: inserted = player.insertNoise(payload, header, at: arrival)
    case .redundant:
      inserted = player.insertRedundant(payload, header, at: arrival)
    default: inserted = player.insert(payload, header, at: arrival)
    }
    if inserted.isHeld { noteHeld(use, header.payloadType) }
    switch inserted {
    case .inserted, .insertedInPlaceOfOldest, .restarted:
      if case .noise = use { return .event }
      return .inserted
    case .duplicate: return .duplicate
    case .tooLate: return .tooLate
    case .malformed: return .malformed
    case .implausible: return .implausible
    }
  }

  private func noteHeld(_ use: Use, _ payloadType: UInt8) {
    if case .noise = use {
      isPause = true
      return
    }
    isPause = false
    if let soundType, soundType != payloadType { codecChangeCount += 1 }
    soundType = payloadType
  }

  private func play(_ observer: any StreamReplayObserver) throws {
    // Keys before any sound make none.
    if soundType != nil {
      try player.play(at: now, stopsAtEnd: isEnding) { try observer.played($0, point) }
    }
    now = now.advanced(byMilliseconds: 10)
  }

  private var point: Point {
    Point(
      instant: now, playoutDelay: player.buffer.playoutDelay, targetDelay: player.buffer.targetDelay,
      statistics: statistics, isPause: isPause)
  }
}
