internal import CKernels
public import RealtimeCore

/// Shows a signal as levels of frequency bands, 0...1, for a display that moves with the sound.
///
/// Every hop, the newest window of samples is weighted (Hann), transformed, and summed in bands that are equally wide on
/// a logarithmic axis (see `BandLayout`). A band's power in dBFS is mapped from floor...ceiling to 0...1, and the level
/// follows it with the attack or release time. A sine at a band's centre reads its own power, -3.01 dBFS at full scale.
///
/// The levels after n samples depend on those samples alone, not on how they were split into calls. They are never NaN:
/// NaN and infinities in the input count as silence.
/// - Threads: `init` off the audio thread; then any one at a time, without allocation.
/// - Latency: the levels describe the signal `latencySampleCount` samples ago, and stand until the next hop.
/// - Memory: about 30 bytes a sample of the window.
public struct BandLevels: ~Copyable, Sendable {
  /// The rate of the samples.
  public let sampleRate: SampleRate
  /// How many levels there are.
  public let bandCount: Int
  /// What the bands were set up with.
  public let settings: Settings
  /// Samples from update to update.
  public let hopSampleCount: Int

  private let window: Window
  private let layout: BandLayout
  private var transform: PreferredRealFFT
  private var history: SampleBuffer
  private var weighted: SampleBuffer
  private var spectrum: SampleBuffer
  private var power: SampleBuffer
  private var shown: SampleBuffer
  private let attack: Float
  private let release: Float
  private var pendingCount = 0
  /// Samples that were NaN or infinite, since the start.
  public private(set) var nonFiniteCount = 0

  /// Bands for `bandCount`, 1 to 4,096, with settings for voice unless others are given.
  public init(
    sampleRate: SampleRate, bandCount: Int, settings wanted: Settings? = nil
  ) throws(SignalProcessingError) {
    let settings = wanted ?? .voice(bandCount: bandCount)
    let nyquist = Float(sampleRate.hertz) / 2
    let highest = min(settings.highestFrequency, nyquist)
    try Self.check(settings, bandCount: bandCount, highest: highest, nyquist: nyquist)
    let rate = Float(sampleRate.hertz) / 1_000
    let wantedLength = max(32, Int((settings.windowMilliseconds * rate).rounded(.up)))
    let length = 1 << (Int.bitWidth - (wantedLength - 1).leadingZeroBitCount)
    let hop = max(1, Int(settings.hopMilliseconds * rate))
    guard hop <= length else {
      throw .unsupportedSetting(settings.hopMilliseconds, lowest: 1, highest: Float(length) / rate)
    }
    let transform = try PreferredRealFFT(length: length)
    let binCount = transform.binCount
    self.sampleRate = sampleRate
    self.bandCount = bandCount
    self.settings = settings
    hopSampleCount = hop
    window = Window(.hann, length: length)
    layout = BandLayout(
      bandCount: bandCount, lowest: settings.lowestFrequency, highest: highest,
      binWidth: Double(sampleRate.hertz) / Double(length), binCount: binCount, windowSum: window.sum)
    self.transform = transform
    history = SampleBuffer(repeating: 0, count: length)
    weighted = SampleBuffer(repeating: 0, count: length)
    spectrum = SampleBuffer(repeating: 0, count: 2 * binCount)
    power = SampleBuffer(repeating: 0, count: binCount)
    shown = SampleBuffer(repeating: 0, count: bandCount)
    attack = Self.step(milliseconds: settings.attackMilliseconds, hop: Float(hop) / rate)
    release = Self.step(milliseconds: settings.releaseMilliseconds, hop: Float(hop) / rate)
  }

  /// Bands for a common display.
  public init(sampleRate: SampleRate, preset: Preset) throws(SignalProcessingError) {
    try self.init(sampleRate: sampleRate, bandCount: preset.bandCount, settings: preset.settings)
  }

  /// Takes in the next samples, any number of them. Returns how often the levels were updated meanwhile.
  @discardableResult
  @_noLocks
  public mutating func process(_ samples: borrowing SampleView) -> Int {
    let length = window.length
    var updates = 0
    var read = 0
    while read < samples.count {
      let count = min(samples.count &- read, hopSampleCount &- pendingCount)
      let place = length &- hopSampleCount &+ pendingCount
      history.copy(samples.extracting(read..<(read &+ count)), to: place)
      var fresh = history.mutableSpan(place..<(place &+ count))
      nonFiniteCount &+= Kernel.sanitize(&fresh)
      read &+= count
      pendingCount &+= count
      if pendingCount == hopSampleCount {
        update()
        history.move(hopSampleCount..<length, to: 0)
        pendingCount = 0
        updates &+= 1
      }
    }
    return updates
  }

  /// As `process` for views.
  @discardableResult
  public mutating func process(_ samples: Span<Float>) -> Int { process(SampleView(samples)) }

  /// The level of each band, low frequencies first, 0...1.
  public var levels: SampleView {
    @_lifetime(borrow self) @_noLocks get { shown.view }
  }

  /// The edges of the bands in hertz: band i reaches from edge i to edge i + 1.
  public var edgeFrequencies: SampleView {
    @_lifetime(borrow self) @_noLocks get { layout.edges.view }
  }

  /// Samples that a window takes in.
  public var windowSampleCount: Int { @_noLocks get { window.length } }

  /// How old the middle of the newest window is when its levels appear: half the window.
  public var latencySampleCount: Int { @_noLocks get { window.length / 2 } }

  /// Forgets all samples; the levels are 0 again.
  @_noLocks
  public mutating func reset() {
    history.fill(0..<history.count, with: 0)
    shown.fill(0..<bandCount, with: 0)
    pendingCount = 0
    nonFiniteCount = 0
  }

  @_noLocks
  private mutating func update() {
    Self.weigh(history, by: window, into: &weighted)
    Self.transform(weighted, by: &transform, into: &spectrum)
    Self.measure(spectrum, into: &power)
    let scale = 1 / (settings.ceilingDecibels - settings.floorDecibels)
    for band in 0..<bandCount {
      let decibels = Decibels.of(power: layout.power(of: band, in: power))
      let target = max(0, min(1, (decibels - settings.floorDecibels) * scale))
      let level = shown[band]
      let next = level + (target > level ? attack : release) * (target - level)
      shown[band] = next < 1e-6 ? 0 : next  // else the fall would end among denormal numbers
    }
  }

  // Static, so that only the buffers at work are borrowed: a view of a member would otherwise hold all of self.
  @_noLocks
  private static func weigh(
    _ samples: borrowing SampleBuffer, by window: borrowing Window, into weighted: inout SampleBuffer
  ) {
    var output = weighted.mutableSpan
    window.apply(to: samples.view, into: &output)
  }

  @_noLocks
  private static func transform(
    _ samples: borrowing SampleBuffer, by transform: inout PreferredRealFFT, into spectrum: inout SampleBuffer
  ) {
    var output = spectrum.mutableSpan
    transform.forward(samples.view, into: &output)
  }

  @_noLocks
  private static func measure(_ spectrum: borrowing SampleBuffer, into power: inout SampleBuffer) {
    var output = power.mutableSpan
    Kernel.power(of: spectrum.view, into: &output)
  }

  private static func check(
    _ settings: Settings, bandCount: Int, highest: Float, nyquist: Float
  ) throws(SignalProcessingError) {
    guard (1...4_096).contains(bandCount) else {
      throw .unsupportedBandCount(bandCount, lowest: 1, highest: 4_096)
    }
    guard settings.lowestFrequency > 0, highest > settings.lowestFrequency else {
      throw .unsupportedFrequencyRange(
        lowest: settings.lowestFrequency, highest: settings.highestFrequency, limit: nyquist)
    }
    guard settings.ceilingDecibels > settings.floorDecibels, settings.floorDecibels > -1_000,
      settings.ceilingDecibels < 1_000
    else {
      throw .unsupportedLevelRange(floor: settings.floorDecibels, ceiling: settings.ceilingDecibels)
    }
    try SignalProcessingError.check(settings.attackMilliseconds, 0, 10_000)
    try SignalProcessingError.check(settings.releaseMilliseconds, 0, 10_000)
    try SignalProcessingError.check(settings.hopMilliseconds, 1, 1_000)
    try SignalProcessingError.check(settings.windowMilliseconds, 2, 1_000)
  }

  /// The share of the way to the target that one hop goes.
  private static func step(milliseconds: Float, hop: Float) -> Float {
    milliseconds > 0 ? -antiphon_expm1f(-hop / milliseconds) : 1
  }
}
