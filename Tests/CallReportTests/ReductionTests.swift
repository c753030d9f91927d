import CallReport
import Foundation
import RealtimeCore
import Testing
import TestSupport

/// Long inputs become small without losing what the eye looks for.
@Suite
struct ReductionTests {
  private func triples(_ waveform: CallReport.Waveform) -> [[Int]] {
    let bytes = [UInt8](waveform.peaks)
    return stride(from: 0, to: bytes.count, by: 6).map { at in
      stride(from: at, to: at + 6, by: 2).map { Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) }
    }
  }

  @Test func aWaveformKeepsEveryPeak() {
    var samples = sine(440, sampleRate: .hz48000, count: 480_000, amplitude: 0.25)
    samples[123_456] = -0.9
    let waveform = CallReport.Waveform(samples, sampleRate: .hz48000, startSeconds: 1)
    let columns = triples(waveform)
    #expect(columns.count == 2_000 && waveform.columnCount == 2_000)
    #expect(waveform.durationSeconds == 10)
    #expect(columns[123_456 / 240][0] == Int((-0.9 * 32_767).rounded()))
    #expect(columns.allSatisfy { abs($0[2] - Int(0.25 / 2.0.squareRoot() * 32_767)) < 400 || $0[0] < -20_000 })
    #expect(columns.allSatisfy { $0[0] <= $0[1] && $0[2] <= max(abs($0[0]), abs($0[1])) + 1 })
  }

  @Test func aShortOrBrokenWaveformIsStillOne() {
    #expect(CallReport.Waveform([], sampleRate: .hz16000).columnCount == 0)
    #expect(
      triples(CallReport.Waveform([.nan, 2, -2], sampleRate: .hz16000)) == [
        [0, 0, 0], [32_767, 32_767, 32_767], [-32_767, -32_767, 32_767],
      ])
  }

  @Test func aLongSeriesKeepsSpikesGapsAndOrder() {
    var values = (0..<360_000).map { Float(sin(Double($0) / 9_000)) }
    values[77_777] = 50
    values[200_000] = -50
    for index in 100_000..<110_000 { values[index] = .nan }
    let series = CallReport.TimeSeries("s", intervalSeconds: 0.01, values: values)
    #expect(series.values.count <= 2_000 && series.values.count > 1_500)
    #expect(series.values.contains(50) && series.values.contains(-50))
    #expect(series.times[series.values.firstIndex(of: 50) ?? 0] == 777.77)
    #expect(series.values.count { $0 == nil } >= 20)
    #expect(zip(series.times, series.times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func manyEventsAreJoinedWhereTheyAreClosest() {
    var intervals = (0..<50_000).map {
      CallReport.EventStrip.Interval(start: Double($0) * 0.05, end: Double($0) * 0.05 + 0.02)
    }
    intervals.append(.init(start: 3_000, end: 3_001))
    let strip = CallReport.EventStrip("e", kind: .concealment, intervals: intervals.shuffled())
    #expect(strip.eventCount == 50_001)
    #expect(strip.intervals.count == 2_000)
    #expect(strip.intervals.last == .init(start: 3_000, end: 3_001))
    #expect(strip.intervals.first?.start == 0)
    #expect(zip(strip.intervals, strip.intervals.dropFirst()).allSatisfy { $0.end < $1.start })
  }

  @Test func aSpectrogramShowsASineWhereItIs() throws {
    for rate in [SampleRate.hz8000, .hz16000, .hz48000] {
      let samples = sine(1_000, sampleRate: rate, count: rate.hertz * 2, amplitude: 1)
      let grid = CallReport.SpectrogramGrid(of: samples, sampleRate: rate, powerSpectrum: SampleCall.powerSpectrum)
      let column = [UInt8](
        grid.levels[grid.columnCount / 2 * grid.binCount..<(grid.columnCount / 2 + 1) * grid.binCount])
      let strongest = try #require(column.indices.max { column[$0] < column[$1] })
      func mel(_ hertz: Double) -> Double { 2_595 * log10(1 + hertz / 700) }
      let (low, high) = (mel(50), mel(Double(rate.hertz) / 2))
      #expect(abs(Double(strongest) + 0.5 - (mel(1_000) - low) / (high - low) * 96) < 1.01, "\(rate)")
      #expect(column[strongest] > 248, "a full-scale sine is 0 dB: \(column[strongest]) at \(rate)")
      #expect(column[5] < 60, "far from the sine it is dark: \(column[5])")
    }
  }

  @Test func aGridAveragesPowerAndMarksGaps() {
    let axis = CallReport.SpectrogramGrid.FrequencyAxis(.logarithmic, lowestHertz: 100, highestHertz: 4_000)
    let few = CallReport.SpectrogramGrid(
      decibels: [.nan, -.infinity, -90, 0, 40, -45], binCount: 1, axis: axis, durationSeconds: 1)
    #expect([UInt8](few.levels) == [0, 1, 1, 255, 255, 128])
    let many = CallReport.SpectrogramGrid(
      decibels: (0..<2_400).map { $0 % 2 == 0 ? 0 : -90 }, binCount: 1, axis: axis, durationSeconds: 1)
    #expect(many.columnCount == 1_200)
    #expect(Set(many.levels) == [UInt8(1 + (254 * (90 - 3.0103) / 90).rounded())])
  }

  @Test func bandLevelsAreClippedAndKeepTheirPeaks() {
    let few = CallReport.BandHistory(levels: [0, 0.5, 1, 2, -1, .nan], bandCount: 2, durationSeconds: 1)
    #expect([UInt8](few.levels) == [0, 128, 255, 255, 0, 0])
    var levels = [Float](repeating: 0, count: 100_000)
    levels[5_001] = 1
    let many = CallReport.BandHistory(levels: levels, bandCount: 1, durationSeconds: 1)
    #expect(many.columnCount == 2_000 && many.levels[5_001 / 50] == 255)
  }

  @Test func aWAVClipIsWhatItSays() {
    let clip = CallReport.AudioClip.wav([0, 1, -1, .nan, 0.5], sampleRate: .hz48000)
    let bytes = [UInt8](clip.bytes)
    #expect(bytes.count == 54 && String(decoding: bytes[0..<4] + bytes[8..<16], as: UTF8.self) == "RIFFWAVEfmt ")
    #expect(Array(bytes[24..<28]) == [0x80, 0xBB, 0, 0])
    #expect(Array(bytes[40...]) == [10, 0, 0, 0, 0, 0, 0xFF, 0x7F, 0x01, 0x80, 0, 0, 0x00, 0x40])
  }

  @Test func anHourMakesAPageOfBoundedSize() throws {
    var report = CallReport(title: "One hour", durationSeconds: 3_600)
    let samples = [Float](repeating: 0.1, count: 3_600 * 8_000)
    var track = CallReport.Track("Played", side: .farEnd)
    track.waveform = .init(samples, sampleRate: .hz8000)
    track.spectrogram = .init(
      decibels: [Float](repeating: -40, count: 36_000 * 96), binCount: 96,
      axis: .init(.mel, lowestHertz: 50, highestHertz: 4_000), durationSeconds: 3_600)
    track.bands = .init(levels: [Float](repeating: 0.3, count: 108_000 * 7), bandCount: 7, durationSeconds: 3_600)
    report.tracks = [track, track, track, track]
    report.plots = [
      .init(
        "Delay", unit: "ms",
        series: [.init("d", intervalSeconds: 0.01, values: (0..<360_000).map { Float($0 % 977) / 7 })])
    ]
    report.strips = [
      .init("Lost", kind: .loss, intervals: (0..<20_000).map { .init(start: Double($0) / 6, end: Double($0) / 6) })
    ]
    let page = try report.html()
    #expect(page.count < 1_500_000, "\(page.count) bytes")
    #expect(try CallReport(page: page) == report)
  }
}
