public import AudioCodecs
public import RealtimeCore

/// Turns the packets of one RTP stream, as the network delivers them, into an even signal, as a loudspeaker needs it.
///
/// Two rhythms meet here: packets are pushed by `insert` whenever they arrive, samples are pulled by `playout` at the
/// device's pace. Between the two lie, in this order: the packets' store, the history of their arrival, the delay to aim
/// at, the decision what to do for the next samples, and the signal work (decode, conceal, stretch, join).
///
/// The playout follows a time line: a sample with timestamp T is played when T + offset comes. A packet that comes too
/// late is concealed without moving that line, unless the target says that the network has become slower for good. So a
/// single stall leaves no delay behind.
/// - Threads: one at a time. After `init` nothing allocates or waits.
/// - Latency: `targetDelay`, rounded up to the next call of `playout`.
public struct JitterBuffer: ~Copyable, Sendable {
  /// What the packets may hold, each by its payload type.
  public let formats: [CodecFormat]
  /// The rate of the samples that `playout` gives: the highest of the decoders' own, which may differ from the wanted one.
  public let sampleRate: SampleRate
  /// Counters since the start.
  public internal(set) var statistics = JitterBufferStatistics()

  // The network's side.
  var store: PacketStore
  var log = SequenceLog()
  var sequences = SequenceUnwrapper()
  var timestamps: TimestampLines
  var clock: MediaClock
  var history = ArrivalHistory()
  var estimator: DelayEstimator
  var recovery = RecoveryEstimator()
  var drift = DriftEstimator()
  var retransmissions = RetransmissionList()
  var suspect: Suspect?
  /// The packet of the highest number that was not a copy, once `clock` is set.
  var newest = StoredPacket()
  /// The highest number that something else than sound has used.
  var newestForeign = Int64.min

  // The signal's side.
  var decoders: DecoderBank
  var line: SampleLine
  var timeline = PlayoutTimeline()
  var scratch: SampleBuffer
  var tail: SampleBuffer
  var pauses: PauseDetector
  var noise: ComfortNoise
  var reader = FractionalReader()
  let stretch: TimeStretch
  let signalJoin: SignalJoin
  let concealmentFade: ConcealmentFade
  let limits: PlayoutLimits
  let ticksPerSample: Int64

  // Where playout stands.
  var phase = Phase.idle
  /// Timestamp behind the last sample that waits to be played.
  var nextTimestamp: Int64 = 0
  /// Timestamp behind the last sample that came from a packet or its copy: nothing before it can be used any more.
  var playedEnd: Int64 = 0
  /// Sequence number of the packet decoded last.
  var playedSequence: Int64 = 0
  /// The packet decoded last said that the sender pauses (Opus DTX).
  var pauseAnnounced = false
  /// Samples since the sound ended for something else (a telephone event); `nil` in pauses that have a noise of their own.
  var fadedInPause: Int?
  /// What was decoded last is a pause in the speech.
  var isQuiet = false
  var samplesSinceDisturbance = 0
  /// Samples concealed in one run.
  var concealedRun = 0
  /// Everything up to this sequence number was flushed.
  var flushedSequence = Int64.min
  /// Everything before this timestamp was flushed.
  var flushedTimestamp = Int64.min
  /// The packet at this timestamp has lent its copy of the one before it.
  var usedCopyTimestamp = Int64.min
  /// Offset on `clock` at which the last packet began to be played.
  var playoutOffset: Int64 = 0
  /// Nanoseconds over the target at which playout stays while it follows a drifting clock: one call and 0.5 ms.
  ///
  /// Packets are looked for once per call. Where two clocks drift, packets begin now at a call's start and now at its end;
  /// only with a call's duration in reserve is each of them there in time at a constant delay.
  var driftReserve: Int64 = 0
  /// Samples given out more than received since they were last counted, by the drifting sender's pace.
  var paceBalance = 0
  /// The last sample given out was a concealed one.
  var lastWasConcealed = false
  var lastTimestamp: Int64?

  // The way back from the output, and interruptions.
  var record = PlayoutRecord()
  var items = ItemTable()
  var interruptions: InterruptionControl
  /// Nanoseconds by which playout lies behind the target because it was held; pauses take them away.
  var heldDelay: Int64 = 0

  enum Phase: Sendable, BitwiseCopyable {
    /// Before the first packet is due, or after a flush.
    case idle
    /// The last sample came from a packet.
    case playing
    /// The last sample was concealed.
    case concealing
    /// The last sample was the decoder's noise in a pause of the sender.
    case comfortNoise

    // Derived comparisons are generic, which the audio path may not call.
    var isIdle: Bool { @_noLocks get { if case .idle = self { true } else { false } } }
    var isPlaying: Bool { @_noLocks get { if case .playing = self { true } else { false } } }
    var isConcealing: Bool { @_noLocks get { if case .concealing = self { true } else { false } } }
    var isComfortNoise: Bool { @_noLocks get { if case .comfortNoise = self { true } else { false } } }
  }

  /// A packet that did not fit into the stream; a second one that agrees with it starts a new time line.
  struct Suspect: Sendable, BitwiseCopyable {
    var sequenceNumber: SequenceNumber
    var timestamp: RTPTimestamp
    var arrival: MediaInstant
    var format: UInt8

    @_noLocks
    init(sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, arrival: MediaInstant, format: UInt8) {
      self.sequenceNumber = sequenceNumber
      self.timestamp = timestamp
      self.arrival = arrival
      self.format = format
    }
  }

  /// Makes a buffer for one stream of one codec; see `init(formats:sampleRate:settings:)`.
  public init(
    format: CodecFormat, sampleRate wanted: SampleRate, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws(CodecError) {
    try self.init(formats: [format], sampleRate: wanted, settings: settings)
  }

  /// Makes a buffer for one stream whose sender may go from one codec to another in mid-call.
  ///
  /// All decoders are made here; where one has a lower rate than the buffer, its sound is resampled and up to 2.5 ms later.
  /// - Parameter formats: what was negotiated, 1 to 8, each with a payload type of its own; traps on others.
  /// - Parameter wanted: a wish; see `sampleRate`.
  /// - Parameter settings: traps when one is out of its range.
  /// - Throws: when a decoder cannot be made.
  public init(
    formats: [CodecFormat], sampleRate wanted: SampleRate, settings: JitterBufferSettings = JitterBufferSettings()
  ) throws(CodecError) {
    settings.check()
    let payloadByteCount = settings.payloadByteCount(for: formats)
    let decoders = try DecoderBank(formats, sampleRate: wanted, maximumPayloadSize: payloadByteCount)
    let rate = decoders.sampleRate
    let longest = decoders.longestSampleCount
    self.formats = formats
    sampleRate = rate
    ticksPerSample = Int64(decoders.clockRate / rate.hertz)
    clock = MediaClock(rate: decoders.clockRate)
    timestamps = TimestampLines(rates: formats.map(\.clockRate), commonRate: decoders.clockRate)
    self.decoders = decoders
    store = PacketStore(capacity: settings.packetCapacity, slotSize: payloadByteCount)
    estimator = DelayEstimator(settings: settings)
    scratch = SampleBuffer(repeating: 0, count: longest)
    tail = SampleBuffer(repeating: 0, count: rate.hertz / 200)
    line = SampleLine(historyCount: rate.hertz / 20, capacity: 2 * longest + rate.hertz / 10)
    pauses = PauseDetector(sampleRate: rate)
    noise = ComfortNoise(sampleRate: rate)
    interruptions = InterruptionControl(
      sampleRate: rate, longestHoldMilliseconds: settings.longestHoldMilliseconds)
    stretch = TimeStretch(sampleRate: rate)
    signalJoin = SignalJoin(sampleRate: rate)
    concealmentFade = ConcealmentFade(sampleRate: rate)
    limits = PlayoutLimits(sampleRate: rate.hertz)
  }

  /// The delay aimed at, in nanoseconds over the fastest packets of late.
  public var targetDelay: Int64 { @_noLocks get { estimator.target &- history.floor } }

  /// The delay of what was decoded last, in nanoseconds over the fastest packets of late: its time in the buffer, had it
  /// come as fast as those. 0 before the first packet is played.
  public var playoutDelay: Int64 {
    @_noLocks get { phase.isIdle ? 0 : playoutOffset &- history.floor }
  }

  /// By how much the sender's clock is found to run faster than the caller's: 1e-4 for 100 ppm; 0 as long as nothing is
  /// known, for the first 16 s at least. Playout follows it by resampling.
  public var senderDrift: Double { @_noLocks get { drift.drift } }

  /// The RTP timestamp of the first sample that the last `playout` gave, exact through stretch and concealment; `nil`
  /// as long as only silence was played. All timestamps, in and out, are in ticks of the codec that came last.
  public var position: RTPTimestamp? {
    @_noLocks get {
      guard let lastTimestamp else { return nil }
      return timestamps.timestamp(at: lastTimestamp)
    }
  }

  /// Samples up to the end of the sound that has come so far; 0 while nothing plays, and while something is played in place
  /// of sound that has not come.
  public var samplesToEnd: Int {
    @_noLocks get {
      guard !phase.isIdle else { return 0 }
      var end = playedEnd
      if store.count > 0 && !store[store.count &- 1].isNoise { end = max(end, store[store.count &- 1].end) }
      return Int(max(0, end &- (timeline.first?.timestamp ?? nextTimestamp)) / ticksPerSample)
    }
  }

  /// Packets that wait.
  public var packetCount: Int { @_noLocks get { store.count } }
}
