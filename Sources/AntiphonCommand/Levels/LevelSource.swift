import Antiphon

/// What meters and bands read at one moment.
struct LevelReading {
  /// Seconds from the start.
  var time: Double
  /// dBFS.
  var rms: Float
  /// dBFS.
  var peak: Float
  /// Low frequencies first, 0...1.
  var bands: [Float]

  /// One line; silence has no decibels, hence null.
  var json: String {
    // Written by hand: a general encoder takes ten times as long, and there are 108,000 lines in an hour.
    let levels = bands.map { $0.fixed(3) }.joined(separator: ",")
    return "{\"bands\":[\(levels)],\"peak\":\(peak.decibelText),\"rms\":\(rms.decibelText),\"time\":\(time.fixed(3))}"
  }
}

extension Float {
  fileprivate var decibelText: String { self <= Decibels.floor ? "null" : Double(self).fixed(1) }
  fileprivate func fixed(_ digits: Int) -> String { Double(self).fixed(digits) }
}

extension Double {
  /// Decimal, rounded to one or three digits behind the point.
  fileprivate func fixed(_ digits: Int) -> String {
    let scale = digits == 1 ? 10 : 1_000
    let whole = Int((self * Double(scale)).rounded())
    let rest = String(scale + abs(whole) % scale).dropFirst()
    return "\(whole < 0 ? "-" : "")\(abs(whole) / scale).\(rest)"
  }
}

/// A recording as level readings, evenly spaced in time.
struct LevelSource: ~Copyable {
  private var source: AudioSource
  private var bands: BandLevels
  private var meter: LevelMeter
  private var block: SampleBuffer
  private let updatesPerSecond: Int
  private var updateCount = 0
  private var sampleCount = 0

  init(path: String, bandCount: Int, updatesPerSecond: Int) throws {
    let source = try AudioSource(path: path)
    let rate = source.sampleRate
    var settings = BandLevels.Settings.voice(bandCount: bandCount)
    settings.hopMilliseconds = min(settings.hopMilliseconds, 1_000 / Float(updatesPerSecond))
    let bands = try BandLevels(sampleRate: rate, bandCount: bandCount, settings: settings)
    meter = try LevelMeter(sampleRate: rate)
    block = SampleBuffer(repeating: 0, count: rate.hertz / updatesPerSecond + 1)
    self.source = source
    self.bands = bands
    self.updatesPerSecond = updatesPerSecond
  }

  var seconds: Double { Double(sampleCount) / Double(source.sampleRate.hertz) }
  var warnings: [String] { source.warnings }

  /// The next reading; `nil` at the end.
  mutating func next() throws -> LevelReading? {
    // The ends of updates lie on a grid that is exact over hours, whatever rate and updates are.
    let end = (updateCount + 1) * source.sampleRate.hertz / updatesPerSecond
    let wanted = end - sampleCount
    // The reading before was the last one when it had fewer samples than the grid asks for.
    guard wanted <= block.count else { return nil }
    let count = try Self.read(wanted, from: &source, into: &block)
    guard count > 0 else { return nil }
    sampleCount += count
    updateCount += 1
    Self.feed(block, count, to: &bands)
    Self.feed(block, count, to: &meter)
    return LevelReading(
      time: seconds, rms: meter.rmsDecibels, peak: meter.peakDecibels,
      bands: (0..<bands.bandCount).map { bands.levels[$0] })
  }

  private static func read(_ count: Int, from source: inout AudioSource, into block: inout SampleBuffer) throws -> Int {
    var samples = block.mutableSpan(0..<count)
    return try source.next(into: &samples)
  }

  private static func feed(_ block: borrowing SampleBuffer, _ count: Int, to bands: inout BandLevels) {
    bands.process(block.view(0..<count))
  }

  private static func feed(_ block: borrowing SampleBuffer, _ count: Int, to meter: inout LevelMeter) {
    meter.process(block.view(0..<count))
  }
}
