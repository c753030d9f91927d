public import AudioCodecs
public import RealtimeCore

/// Plays audio that an agent sends faster than real time over a socket: untimed chunks, answer by answer.
///
/// It stands beside `JitterBuffer` and shares its signal work (line, time line, stretch, concealment, pause detection), not its
/// idea of delay: what waits here is stock, and a full store is no reason to hurry. Playout begins soon after an answer's
/// first sample and never runs faster than it was spoken. Only a producer that falls behind makes a difference: then
/// pauses in the speech are lengthened, at last the sound is concealed, and the next answer begins with more in store
/// (see `StreamReserve`).
///
/// Answers are *items*: numbers of the caller's that grow from one to the next. An append with a new number opens it.
/// - Threads: one at a time. After `init` nothing allocates or waits.
/// - Memory: 2 bytes a sample of the capacity that the settings wish.
public struct StreamPlayout: ~Copyable, Sendable {
  /// What the chunks hold.
  public let format: StreamFormat
  /// The rate of the samples that `playout` gives: the stream's own.
  public let sampleRate: SampleRate
  /// What it was made with.
  public let settings: StreamPlayoutSettings
  /// Counters since the start.
  public internal(set) var statistics = StreamPlayoutStatistics()

  // The socket's side.
  var store: FixedBuffer<Int16>
  var decoder: AudioDecoder?
  var decoded: SampleBuffer
  /// Opus' packets cannot be cut.
  let takesWholePackets: Bool
  var items = ItemTable()
  var reserve: StreamReserve
  /// Index behind the newest sample of the stream; indices count from the first sample that ever came.
  var writeIndex: Int64 = 0
  /// The lower byte of a sample whose upper byte has not come yet.
  var oddByte: UInt8?
  /// Up to this number all items were flushed.
  var flushedItem = Int.min
  /// The running item met a full store: its producer waits for playout, so its pace tells nothing.
  var isBackedUp = false

  // The signal's side.
  var line: SampleLine
  var timeline = PlayoutTimeline()
  var scratch: SampleBuffer
  var tail: SampleBuffer
  var concealment: PitchConcealment
  var pauses: PauseDetector
  let stretch: TimeStretch

  // Where playout stands.
  var phase = Phase.idle
  /// Index of the next sample that goes to the line.
  var readIndex: Int64 = 0
  /// What went to the line last is a pause in the speech.
  var isQuiet = false
  /// Samples since the stream ran dry.
  var concealedRun = 0
  /// It ran dry in a pause of the speech.
  var isStarvedInPause = false
  /// When the first sample came after playout had run dry.
  var refilledAt: MediaInstant?
  var lastWasConcealed = false
  var record = PlayoutRecord()
  var interruptions: InterruptionControl

  enum Phase: Sendable, BitwiseCopyable {
    /// Between answers.
    case idle
    /// The last sample came from the stream.
    case playing
    /// The stream ran dry within an answer.
    case starved

    // Derived comparisons are generic, which the audio path may not call.
    var isIdle: Bool { @_noLocks get { if case .idle = self { true } else { false } } }
    var isStarved: Bool { @_noLocks get { if case .starved = self { true } else { false } } }
  }

  /// Makes the playout of one stream.
  /// - Parameter settings: traps when one is out of its range.
  /// - Throws: when the decoder cannot be made.
  public init(
    _ format: StreamFormat, settings: StreamPlayoutSettings = StreamPlayoutSettings()
  ) throws(CodecError) {
    settings.check()
    let decoder: AudioDecoder?
    let rate: SampleRate
    switch format {
    case .pcm16(let own):
      rate = own
      decoder = nil
      takesWholePackets = false
    case .coded(let coded):
      let made = try AudioDecoder(coded, sampleRate: .hz48000)
      rate = made.sampleRate
      decoder = consume made
      takesWholePackets = coded.codec == .opus
    }
    self.format = format
    self.settings = settings
    sampleRate = rate
    self.decoder = decoder
    store = FixedBuffer(repeating: 0, count: rate.hertz * settings.capacitySeconds)
    // 120 ms is the longest Opus packet; the other codecs are read in pieces of that length.
    decoded = SampleBuffer(repeating: 0, count: rate.hertz * 12 / 100)
    reserve = StreamReserve(settings)
    scratch = SampleBuffer(repeating: 0, count: rate.hertz / 100)
    tail = SampleBuffer(repeating: 0, count: rate.hertz / 200)
    line = SampleLine(historyCount: rate.hertz / 20, capacity: rate.hertz / 5)
    concealment = PitchConcealment(sampleRate: rate)
    pauses = PauseDetector(sampleRate: rate)
    stretch = TimeStretch(sampleRate: rate)
    interruptions = InterruptionControl(
      sampleRate: rate, longestHoldMilliseconds: settings.longestHoldMilliseconds)
  }

  /// Samples that can wait.
  public var capacity: Int { store.count }

  /// Samples that wait.
  public var stock: Int { @_noLocks get { Int(writeIndex &- readIndex) &+ line.count } }

  /// How long after an answer's first sample playout begins, at the latest, in nanoseconds.
  public var reserveNanoseconds: Int64 { @_noLocks get { reserve.target } }

  /// Samples that `playout` has given since the start; the next one has this number.
  public var outputSampleCount: Int64 { @_noLocks get { record.sampleCount } }

  /// What output sample `sample` carried, counted from the first that `playout` ever gave: its answer and the place in it.
  /// To know what is heard now, subtract what the device has yet to play from `outputSampleCount`. `nil` for silence
  /// between answers, for samples to come, and more than some seconds back.
  @_noLocks
  public func position(ofOutputSample sample: Int64) -> MediaPosition? {
    guard let index = record.timestamp(ofOutputSample: sample) else { return nil }
    return position(ofIndex: index)
  }

  @_noLocks
  func position(ofIndex index: Int64) -> MediaPosition? {
    guard let item = items.item(at: index) else { return nil }
    return MediaPosition(item: item.id, nanoseconds: sampleRate.nanoseconds(sampleCount: Int(index &- item.start)))
  }

  /// Asks to be told, by `nextMark`, when a place is heard; one that has been heard is reached with the next sample.
  /// - Parameter id: any number, to know it by.
  /// - Parameter position: in an item that is open or was.
  /// - Returns: false when the item is unknown or 64 marks wait already.
  @_noLocks
  public mutating func addMark(_ id: Int, at position: MediaPosition) -> Bool {
    guard let item = items.item(position.item) else { return false }
    let samples = Int64(max(0, position.nanoseconds) / 1_000) &* Int64(sampleRate.hertz) / 1_000_000
    return record.addMark(id, at: item.start &+ samples)
  }

  /// The next mark that was heard or flushed; `nil` when there is none.
  @_noLocks
  public mutating func nextMark() -> PlayoutMark? { record.nextMark() }
}
