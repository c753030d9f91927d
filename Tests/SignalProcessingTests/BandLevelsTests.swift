import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport
import Testing

private let counts = [1, 2, 3, 5, 7, 10, 24, 31, 64, 100, 257, 1_000]
private let rates: [SampleRate] = [.hz8000, .hz16000, .hz24000, .hz44100, .hz48000, .hz96000]

@Suite struct BandLevelsTests {
  @Test(arguments: counts, rates) func bandsRiseWithoutGapsAndNoneIsEmpty(count: Int, rate: SampleRate) throws {
    var bands = try BandLevels(sampleRate: rate, bandCount: count)
    let edges = array(bands.edgeFrequencies)
    #expect(edges.count == count + 1)
    #expect(abs(edges[0] - 80) < 0.01)
    #expect(abs(edges[count] - min(8_000, Float(rate.hertz) / 2)) < 1)
    for band in 0..<count { #expect(edges[band + 1] > edges[band]) }
    // White noise is in every band, however narrow.
    var random = SeededRandom(seed: 20)
    feed(&bands, random.noise(count: rate.hertz, amplitude: 0.9))
    let levels = array(bands.levels)
    #expect(levels.count == count)
    for level in levels { #expect(level > 0 && level <= 1) }
  }

  /// A sine at the centre of each band in turn: no other band shows more, and the level is the sine's own.
  @Test(arguments: [5, 7, 10, 100]) func aToneShowsInItsBandAtItsLevel(count: Int) throws {
    var settings = BandLevels.Settings()
    settings.floorDecibels = -60
    settings.ceilingDecibels = 0
    settings.windowMilliseconds = 40
    let probe = try BandLevels(sampleRate: .hz48000, bandCount: count, settings: settings)
    let edges = array(probe.edgeFrequencies)
    let binWidth = 48_000 / Float(probe.windowSampleCount)
    for band in 0..<count {
      let centre = (edges[band] * edges[band + 1]).squareRoot()
      // Below three bins the sine overlaps with its mirror image at negative frequencies.
      guard centre > 3 * binWidth else { continue }
      var bands = try BandLevels(sampleRate: .hz48000, bandCount: count, settings: settings)
      feed(&bands, sine(Double(centre), sampleRate: .hz48000, count: 48_000, amplitude: 0.1))
      let levels = array(bands.levels)
      let decibels = -60 + 60 * levels[band]
      #expect(abs(decibels - (20 * log10(0.1) - 3.01)) < 1, "band \(band) of \(count) at \(centre) Hz")
      // Neighbours narrower than the window's main lobe may tie with it.
      #expect(levels[band] > levels.max()! - 0.5 / 60)
      for (other, level) in levels.enumerated() {
        let distance = min(abs(edges[other] - centre), abs(edges[other + 1] - centre))
        if other != band && distance > 4 * binWidth { #expect(level < levels[band] - 20 / 60) }
      }
    }
  }

  /// Wide bands add up: noise of known power, seen in one band that covers all of it.
  @Test func noiseReadsItsPower() throws {
    var settings = BandLevels.Settings()
    settings.lowestFrequency = 1
    settings.highestFrequency = 24_000
    settings.floorDecibels = -100
    settings.ceilingDecibels = 0
    settings.attackMilliseconds = 1_000
    settings.releaseMilliseconds = 1_000
    var bands = try BandLevels(sampleRate: .hz48000, bandCount: 1, settings: settings)
    var random = SeededRandom(seed: 21)
    let noise = random.noise(count: 480_000, amplitude: 0.5)
    feed(&bands, noise)
    #expect(abs(Double(-100 + 100 * bands.levels[0]) - powerDecibels(noise)) < 0.5)
  }

  @Test func levelsAreLinearInDecibelsAndLimited() throws {
    var settings = BandLevels.Settings()
    settings.floorDecibels = -63.01
    settings.ceilingDecibels = -23.01
    for (amplitude, expected) in [(1.0, Float(1)), (0.1, 1), (0.01, 0.5), (0.001, 0), (0, 0)] {
      var bands = try BandLevels(sampleRate: .hz16000, bandCount: 1, settings: settings)
      feed(&bands, sine(800, sampleRate: .hz16000, count: 32_000, amplitude: amplitude))
      #expect(abs(bands.levels[0] - expected) < 0.01)
    }
  }

  /// From the first window that is all sine, one time constant brings the level to 63 % of the way; and down again.
  @Test(arguments: [50, 200, 400]) func attackAndReleaseTakeTheirTime(milliseconds: Int) throws {
    var settings = BandLevels.Settings()
    settings.attackMilliseconds = Float(milliseconds)
    settings.releaseMilliseconds = Float(milliseconds) / 2
    settings.ceilingDecibels = -30  // the sine is above, thus the target is 1 from the first to the last hop
    var bands = try BandLevels(sampleRate: .hz16000, bandCount: 1, settings: settings)
    let tone = sine(800, sampleRate: .hz16000, count: 16_000 * 4, amplitude: 1)
    feed(&bands, Array(tone.prefix(16 * milliseconds)))
    #expect(abs(bands.levels[0] - Float(1 - exp(-1.0))) < 0.06)
    feed(&bands, tone)
    #expect(bands.levels[0] > 0.999)
    // Silence first has to fill the window.
    feed(&bands, [Float](repeating: 0, count: bands.windowSampleCount / 160 * 160))
    let before = bands.levels[0]
    feed(&bands, [Float](repeating: 0, count: 8 * milliseconds / 160 * 160))
    let hops = Double(8 * milliseconds / 160)
    let expected = before * Float(exp(-hops * 10 / (Double(milliseconds) / 2)))
    #expect(abs(bands.levels[0] - expected) < 0.05)
  }

  @Test func withoutTimesTheLevelJumps() throws {
    var settings = BandLevels.Settings()
    settings.attackMilliseconds = 0
    settings.releaseMilliseconds = 0
    var bands = try BandLevels(sampleRate: .hz16000, bandCount: 3, settings: settings)
    feed(&bands, sine(800, sampleRate: .hz16000, count: 1_600, amplitude: 1))
    #expect(array(bands.levels).max()! == 1)
    feed(&bands, [Float](repeating: 0, count: 1_600))
    #expect(array(bands.levels) == [0, 0, 0])
  }

  @Test(arguments: 1...8) func anySplitShowsTheSame(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let x = random.noise(count: 12_000, amplitude: 0.1)
    var whole = try BandLevels(sampleRate: .hz24000, preset: .ten)
    var parts = try BandLevels(sampleRate: .hz24000, preset: .ten)
    var start = 0
    var updates = 0
    while start < x.count {
      let end = min(x.count, start + Int.random(in: 0...700, using: &random))
      let chunk = Array(x[start..<end])
      updates += feed(&parts, chunk)
      feed(&whole, chunk)  // same position, to compare there
      #expect(updates == end / parts.hopSampleCount)
      start = end
    }
    var atOnce = try BandLevels(sampleRate: .hz24000, preset: .ten)
    #expect(feed(&atOnce, x) == updates)
    var singly = try BandLevels(sampleRate: .hz24000, preset: .ten)
    for sample in x { feed(&singly, [sample]) }
    #expect(array(parts.levels) == array(atOnce.levels), "seed \(seed)")
    #expect(array(singly.levels) == array(atOnce.levels), "seed \(seed)")
  }

  @Test func levelsAreNeverNaN() throws {
    let bad: [[Float]] = [
      [.nan], [.infinity], [-.infinity], [.nan, .infinity, 1], [3e38, -3e38],
      [.leastNonzeroMagnitude, -.leastNormalMagnitude], [0], [1e30, .nan],
    ]
    for preset in BandLevels.Preset.allCases {
      var bands = try BandLevels(sampleRate: .hz48000, preset: preset)
      for pattern in bad {
        feed(&bands, (0..<9_600).map { pattern[$0 % pattern.count] })
        for level in array(bands.levels) { #expect(level >= 0 && level <= 1) }
      }
      #expect(bands.nonFiniteCount > 0)
      // And it recovers.
      feed(&bands, [Float](repeating: 0, count: 48_000 * 3))
      #expect(array(bands.levels).allSatisfy { $0 == 0 })
    }
  }

  @Test func resetIsAFreshStart() throws {
    var random = SeededRandom(seed: 22)
    let x = random.noise(count: 3_333, amplitude: 0.3)
    var used = try BandLevels(sampleRate: .hz16000, preset: .seven)
    feed(&used, x)
    used.reset()
    var fresh = try BandLevels(sampleRate: .hz16000, preset: .seven)
    feed(&used, x)
    feed(&fresh, x)
    #expect(array(used.levels) == array(fresh.levels))
  }

  @Test func impossibleSettingsAreRefused() {
    func refused(_ count: Int = 5, _ change: (inout BandLevels.Settings) -> Void = { _ in }) -> SignalProcessingError? {
      var settings = BandLevels.Settings()
      change(&settings)
      do {
        _ = try BandLevels(sampleRate: .hz16000, bandCount: count, settings: settings)
        return nil
      } catch {
        return error
      }
    }
    #expect(refused() == nil)
    #expect(refused(0) == .unsupportedBandCount(0, lowest: 1, highest: 4_096))
    #expect(refused(.max) == .unsupportedBandCount(.max, lowest: 1, highest: 4_096))
    #expect(refused { $0.lowestFrequency = 0 } != nil)
    #expect(refused { $0.lowestFrequency = .nan } != nil)
    #expect(refused { $0.highestFrequency = .nan } != nil)
    #expect(refused { $0.lowestFrequency = 9_000 } != nil)
    #expect(refused { $0.floorDecibels = 0 } == .unsupportedLevelRange(floor: 0, ceiling: -20))
    #expect(refused { $0.ceilingDecibels = .nan } != nil)
    #expect(refused { $0.attackMilliseconds = -1 } == .unsupportedSetting(-1, lowest: 0, highest: 10_000))
    #expect(refused { $0.releaseMilliseconds = .infinity } != nil)
    #expect(refused { $0.windowMilliseconds = .nan } != nil)
    #expect(refused { $0.hopMilliseconds = 900 } != nil)
  }

  @Test(arguments: BandLevels.Preset.allCases) func allocatesNothing(preset: BandLevels.Preset) throws {
    var bands = try BandLevels(sampleRate: .hz48000, preset: preset)
    let samples = SampleBuffer(repeating: 0.1, count: 1_000)
    var sum: Float = 0
    var operations: Int? = 0
    for _ in 0..<3 {
      operations = heapOperations {
        bands.process(samples.view)
        sum += bands.levels[0]
      }
    }
    #expect(operations == 0 || operations == nil)
  }
}

private func array(_ view: borrowing SampleView) -> [Float] {
  var result: [Float] = []
  for index in 0..<view.count { result.append(view[index]) }
  return result
}

@discardableResult
private func feed(_ bands: inout BandLevels, _ samples: [Float]) -> Int {
  bands.process(samples.span)
}
