import RealtimeCore
import TestSupport
import Testing

@Suite struct SequenceNumberTests {
  @Test func distanceGoesTheShorterWayRound() {
    #expect(SequenceNumber(65_535).distance(to: SequenceNumber(0)) == 1)
    #expect(SequenceNumber(0).distance(to: SequenceNumber(65_535)) == -1)
    #expect(SequenceNumber(10).distance(to: SequenceNumber(10)) == 0)
    #expect(SequenceNumber(0).distance(to: SequenceNumber(32_767)) == 32_767)
    #expect(SequenceNumber(0).distance(to: SequenceNumber(32_768)) == -32_768)
  }

  @Test func newerMeansLessThanHalfTheCircleAhead() {
    #expect(SequenceNumber(1).isNewer(than: SequenceNumber(65_535)))
    #expect(!SequenceNumber(65_535).isNewer(than: SequenceNumber(1)))
    #expect(!SequenceNumber(5).isNewer(than: SequenceNumber(5)))
    // Exactly opposite: RFC 1982 leaves the order undefined; neither is newer here.
    #expect(!SequenceNumber(32_768).isNewer(than: SequenceNumber(0)))
    #expect(!SequenceNumber(0).isNewer(than: SequenceNumber(32_768)))
  }

  @Test(arguments: [0, 1, -1, 65_535, 65_536, -65_537, .max, .min])
  func stepsWrap(_ steps: Int) {
    for start in [0, 1, 32_768, 65_535] as [UInt16] {
      let there = SequenceNumber(start).advanced(by: steps)
      #expect(there.rawValue == start &+ UInt16(truncatingIfNeeded: steps))
    }
  }
}

@Suite struct RTPTimestampTests {
  @Test func distanceGoesTheShorterWayRound() {
    #expect(RTPTimestamp(.max).distance(to: RTPTimestamp(959)) == 960)
    #expect(RTPTimestamp(959).distance(to: RTPTimestamp(.max)) == -960)
    #expect(RTPTimestamp(0).distance(to: RTPTimestamp(1 << 31)) == -2_147_483_648)
    #expect(RTPTimestamp(0).distance(to: RTPTimestamp((1 << 31) - 1)) == 2_147_483_647)
  }

  @Test(arguments: [0, 960, -960, 4_294_967_296, .max, .min])
  func stepsWrap(_ ticks: Int) {
    for start in [0, 1, 1 << 31, .max] as [UInt32] {
      #expect(RTPTimestamp(start).advanced(by: ticks).rawValue == start &+ UInt32(truncatingIfNeeded: ticks))
    }
  }
}

@Suite struct UnwrapperTests {
  @Test func theFirstNumberLiesOneTurnUp() {
    var sequence = SequenceUnwrapper()
    #expect(sequence.unwrap(SequenceNumber(0)) == 65_536)
    var timestamps = TimestampUnwrapper()
    #expect(timestamps.unwrap(RTPTimestamp(5)) == 4_294_967_301)
  }

  @Test func packetsOlderThanTheFirstStayAboveZero() {
    var sequence = SequenceUnwrapper()
    _ = sequence.unwrap(SequenceNumber(0))
    #expect(sequence.unwrap(SequenceNumber(65_535)) == 65_535)
    #expect(sequence.unwrap(SequenceNumber(32_768)) == 32_768)
    #expect(sequence.unwrap(SequenceNumber(1)) == 65_537)
  }

  @Test func reorderingAroundTheWrapKeepsPlaces() {
    var sequence = SequenceUnwrapper()
    let arrived: [UInt16] = [65_533, 65_535, 1, 65_534, 0, 2, 65_535, 3]
    let places = arrived.map { sequence.unwrap(SequenceNumber($0)) }
    #expect(places.map { $0 - places[0] } == [0, 2, 4, 1, 3, 5, 2, 6])
  }

  @Test func timestampsKeepPlacesAroundTheirWrap() {
    var timestamps = TimestampUnwrapper()
    let first = timestamps.unwrap(RTPTimestamp(.max - 959))
    #expect(timestamps.unwrap(RTPTimestamp(960)) - first == 1_920)
    #expect(timestamps.unwrap(RTPTimestamp(0)) - first == 960)
    #expect(timestamps.unwrap(RTPTimestamp(1_920)) - first == 2_880)
  }

  @Test func anOldPacketDoesNotPullTheReferenceBack() {
    var sequence = SequenceUnwrapper()
    let first = sequence.unwrap(SequenceNumber(40_000))
    #expect(sequence.unwrap(SequenceNumber(10_000)) - first == -30_000)
    // 20,000 ahead of the newest, though 50,000 ahead of the one just seen.
    #expect(sequence.unwrap(SequenceNumber(60_000)) - first == 20_000)
  }

  /// Five turns of the circle with steps, losses and reordering inside half a circle.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func aLongCallUnwrapsToItsOwnCount(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var sequence = SequenceUnwrapper()
    var timestamps = TimestampUnwrapper()
    let start = Int64(UInt16.random(in: 0...65_535, using: &random))
    var newest = start + 65_536
    #expect(sequence.unwrap(SequenceNumber(UInt16(truncatingIfNeeded: newest))) == newest)
    let ticksPerPacket: Int64 = 100_000
    let base = timestamps.unwrap(RTPTimestamp(UInt32(truncatingIfNeeded: newest * ticksPerPacket)))
    let origin = newest
    while newest < 5 * 65_536 {
      let place = newest + Int64.random(in: -900...1_000, using: &random)
      #expect(sequence.unwrap(SequenceNumber(UInt16(truncatingIfNeeded: place))) == place, "seed \(seed)")
      let timestamp = RTPTimestamp(UInt32(truncatingIfNeeded: place * ticksPerPacket))
      #expect(timestamps.unwrap(timestamp) - base == (place - origin) * ticksPerPacket, "seed \(seed)")
      newest = max(newest, place)
    }
  }
}
