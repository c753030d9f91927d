import RealtimeCore
import TestSupport
import Testing

/// The ring against a plain array that plays its part; one thread, so every outcome is known exactly.
@Suite struct SampleRingTests {
  @Test(arguments: [1, 2, 3, 4, 7, 8, 64, 480])
  func capacityIsTheNextPowerOfTwo(_ minimum: Int) {
    let ring = SampleRing(minimumCapacity: minimum)
    var writer = ring.writer
    var reader = ring.reader
    #expect(writer.capacity >= minimum && writer.capacity < 2 * minimum)
    #expect(writer.capacity.nonzeroBitCount == 1)
    #expect(reader.capacity == writer.capacity)
    #expect(writer.freeCount == writer.capacity)
    #expect(reader.availableCount == 0)
  }

  /// Every position at which a block can meet the wrap, and every block size up to two more than fit.
  @Test(arguments: [1, 2, 4, 8, 16])
  func contentsSurviveEveryWrapOffset(capacity: Int) {
    for offset in 0..<capacity {
      for count in 0...capacity + 2 {
        let ring = SampleRing(minimumCapacity: capacity)
        var writer = ring.writer
        var reader = ring.reader
        for _ in 0..<offset {
          #expect(writer.push(-1) == true)
          #expect(reader.pop() == -1)
        }
        let sent = (0..<count).map(Float.init)
        let fitting = min(count, capacity)
        #expect(writer.write(sent.span) == fitting)
        #expect(writer.overflowCount == count - fitting)
        #expect(writer.freeCount == capacity - fitting)
        #expect(reader.availableCount == fitting)

        var received = SampleBuffer(repeating: -7, count: count)
        var target = received.mutableSpan
        #expect(reader.read(into: &target) == fitting)
        #expect(reader.underrunCount == count - fitting)
        for index in 0..<count { #expect(received[index] == (index < fitting ? sent[index] : -7)) }
      }
    }
  }

  /// Whatever the calls and their sizes, what comes out is what went in, and the counters say what did not.
  @Test(arguments: 0..<64 as Range<UInt64>)
  func anySplitGivesTheSameStream(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let ring = SampleRing(minimumCapacity: 1 << Int.random(in: 0...7, using: &random))
    var writer = ring.writer
    var reader = ring.reader
    let capacity = writer.capacity
    var queue: [Float] = []
    var next: Float = 0
    var (refused, missing) = (0, 0)
    var block = SampleBuffer(repeating: 0, count: capacity + 3)

    for _ in 0..<400 {
      let size = Int.random(in: 0...capacity + 3, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        for index in 0..<size { block[index] = next + Float(index) }
        let written = writer.write(block.view(0..<size))
        #expect(written == min(size, capacity - queue.count), "seed \(seed)")
        queue += (0..<written).map { next + Float($0) }
        next += Float(written)
        refused += size - written
      case 1:
        let isWritten = writer.push(next)
        #expect(isWritten == (queue.count < capacity), "seed \(seed)")
        if isWritten { queue.append(next) } else { refused += 1 }
        if isWritten { next += 1 }
      case 2:
        var free = writer.freeSpan(atMost: size)
        let count = free.count
        #expect(count <= min(size, capacity - queue.count), "seed \(seed)")
        #expect(count > 0 || size == 0 || queue.count == capacity, "seed \(seed)")
        for index in 0..<count { free[index] = next + Float(index) }
        writer.commit(count)
        queue += (0..<count).map { next + Float($0) }
        next += Float(count)
      case 3:
        var target = block.mutableSpan(0..<size)
        let got = reader.read(into: &target)
        #expect(got == min(size, queue.count), "seed \(seed)")
        for index in 0..<got { #expect(block[index] == queue[index], "seed \(seed)") }
        queue.removeFirst(got)
        missing += size - got
      case 4:
        let sample = reader.pop()
        #expect(sample == queue.first, "seed \(seed)")
        if sample != nil { queue.removeFirst() }
      default:
        let view = reader.availableView(atMost: size)
        let count = view.count
        #expect(count <= min(size, queue.count), "seed \(seed)")
        #expect(count > 0 || size == 0 || queue.isEmpty, "seed \(seed)")
        for index in 0..<count { #expect(view[index] == queue[index], "seed \(seed)") }
        reader.consume(count)
        queue.removeFirst(count)
      }
      #expect(writer.overflowCount == refused, "seed \(seed)")
      #expect(reader.underrunCount == missing, "seed \(seed)")
    }
  }

  @Test func overflowCountsEverySampleThatWasRefused() {
    let ring = SampleRing(minimumCapacity: 4)
    var writer = ring.writer
    #expect(writer.write([1, 2, 3, 4, 5, 6].span) == 4)
    #expect(writer.overflowCount == 2)
    #expect(writer.push(7) == false)
    #expect(writer.overflowCount == 3)
  }

  @Test func underrunLeavesTheRestOfTheTargetAlone() {
    let ring = SampleRing(minimumCapacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    #expect(writer.write([1, 2].span) == 2)
    var target = SampleBuffer(repeating: 9, count: 3)
    var span = target.mutableSpan
    #expect(reader.read(into: &span) == 2)
    #expect(reader.underrunCount == 1)
    #expect(target[0] == 1 && target[1] == 2 && target[2] == 9)
    #expect(reader.pop() == nil)
    #expect(reader.underrunCount == 1)  // asking for one sample is a poll, not an underrun
  }

  @Test func emptyBlocksChangeNothing() {
    let ring = SampleRing(minimumCapacity: 4)
    var writer = ring.writer
    var reader = ring.reader
    #expect(writer.write([Float]().span) == 0)
    var none = SampleBuffer(repeating: 0, count: 0)
    var span = none.mutableSpan
    #expect(reader.read(into: &span) == 0)
    writer.commit(0)
    reader.consume(0)
    #expect(writer.overflowCount == 0 && reader.underrunCount == 0 && reader.availableCount == 0)
  }

  @Test func oneEndMayOutliveTheOther() {
    var reader = readerOfAbandonedRing()
    #expect(reader.pop() == 5)
    #expect(reader.pop() == nil)
  }

  private func readerOfAbandonedRing() -> SampleRing.Reader {
    let ring = SampleRing(minimumCapacity: 4)
    var writer = ring.writer
    _ = writer.push(5)
    return ring.reader
  }
}

/// The calls that work inside the ring's memory.
@Suite struct SampleRingInPlaceTests {
  @Test func freeSpanIsShortAtTheWrapAndASecondCallGivesTheRest() {
    let ring = SampleRing(minimumCapacity: 8)
    var writer = ring.writer
    var reader = ring.reader
    writer.commit(writer.freeSpan(atMost: 6).count)
    reader.consume(reader.availableView(atMost: 6).count)

    var tail = writer.freeSpan()
    let tailCount = tail.count
    #expect(tailCount == 2)
    for index in 0..<tailCount { tail[index] = Float(index) }
    writer.commit(tailCount)
    var head = writer.freeSpan()
    let headCount = head.count
    #expect(headCount == 6)
    for index in 0..<headCount { head[index] = Float(2 + index) }
    writer.commit(headCount)
    let none = writer.freeSpan().count
    #expect(none == 0)

    var expected: Float = 0
    for pieceCount in [2, 6] {
      let piece = reader.availableView()
      let count = piece.count
      #expect(count == pieceCount)
      for index in 0..<count {
        #expect(piece[index] == expected)
        expected += 1
      }
      reader.consume(count)
    }
    let left = reader.availableView().count
    #expect(left == 0)
  }

  @Test func aPartOfTheSpanMayBeCommitted() {
    let ring = SampleRing(minimumCapacity: 8)
    var writer = ring.writer
    var reader = ring.reader
    var free = writer.freeSpan()
    free[0] = 1
    free[1] = 2
    writer.commit(1)
    #expect(reader.availableCount == 1)
    #expect(reader.pop() == 1)
  }

  @Test func limitsBelowZeroGiveNothing() {
    let ring = SampleRing(minimumCapacity: 8)
    var writer = ring.writer
    var reader = ring.reader
    let free = writer.freeSpan(atMost: -1).count
    _ = writer.push(0)
    let available = reader.availableView(atMost: -1).count
    #expect(free == 0 && available == 0)
  }

  @Test func committingMoreThanIsFreeTraps() async {
    await #expect(processExitsWith: .failure) {
      let ring = SampleRing(minimumCapacity: 8)
      var writer = ring.writer
      writer.commit(9)
    }
  }

  @Test func consumingMoreThanIsThereTraps() async {
    await #expect(processExitsWith: .failure) {
      let ring = SampleRing(minimumCapacity: 8)
      var reader = ring.reader
      reader.consume(1)
    }
  }

  @Test func aCapacityOfZeroTraps() async {
    await #expect(processExitsWith: .failure) { _ = SampleRing(minimumCapacity: 0) }
  }
}
