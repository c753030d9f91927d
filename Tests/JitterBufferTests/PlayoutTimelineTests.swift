import Testing

@testable import JitterBuffer

@Suite struct PlayoutTimelineTests {
  private func line(_ counts: [Int]) -> PlayoutTimeline {
    var line = PlayoutTimeline()
    var timestamp: Int64 = 1_000
    for count in counts {
      line.append(TimelineSegment(count: count, timestamp: timestamp, span: Int64(count) * 2, origin: .packet))
      timestamp += Int64(count) * 2
    }
    return line
  }

  /// The timestamp of every sample that waits.
  private func drain(_ line: inout PlayoutTimeline) -> [Int64] {
    var timestamps: [Int64] = []
    while line.first != nil { timestamps.append(line.takeFirst(1).timestamp) }
    return timestamps
  }

  @Test func samplesKeepTheirTimestampsHoweverTheyAreTaken() {
    var one = line([5, 3])
    #expect(drain(&one) == (0..<8).map { 1_000 + Int64($0) * 2 })
    var other = line([5, 3])
    #expect(other.takeFirst(4).count == 4)
    #expect(other.takeFirst(4).timestamp == 1_008)  // stops at the end of the run
    #expect(other.takeFirst(4).timestamp == 1_010)
    let end = other.first
    #expect(end == nil)
  }

  @Test func aShortenedBeginningCoversTheSameTime() {
    var line = line([10, 10])
    line.replaceFirst(12, with: 6)
    let timestamps = drain(&line)
    #expect(timestamps.count == 14)
    #expect(Array(timestamps[0..<6]) == [1_000, 1_004, 1_008, 1_012, 1_016, 1_020])
    #expect(timestamps[6] == 1_024)
  }

  @Test func aLengthenedBeginningNeverGoesBack() {
    var line = line([10])
    line.replaceFirst(4, with: 9)
    let timestamps = drain(&line)
    #expect(timestamps.count == 15)
    #expect(timestamps == timestamps.sorted())
    #expect(timestamps[9] == 1_008)
  }

  @Test func truncationKeepsTheFirstSamples() {
    var line = line([4, 4, 4])
    line.truncate(to: 6)
    #expect(drain(&line) == (0..<6).map { 1_000 + Int64($0) * 2 })
  }
}
