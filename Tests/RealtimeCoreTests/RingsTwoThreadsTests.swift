import Foundation
import RealtimeCore
import TestSupport
import Testing

/// Both ends busy at once; run under the thread sanitizer as well (`Scripts/test threads`).
@Suite struct RingsTwoThreadsTests {
  /// Blocks of all sizes go in and come out; the sums of position times sample agree, so none is lost, doubled or moved.
  @Test(arguments: [1, 64, 1_024], [1, 2, 3] as [UInt64])
  func samplesArriveInOrder(capacity: Int, seed: UInt64) {
    let total = capacity == 1 ? 10_000 : 400_000
    let ring = SampleRing(minimumCapacity: capacity)
    var reader = ring.reader
    let producer = Carrier(ring.writer)
    let thread = RunningThread {
      var writer = producer.take()
      var random = SeededRandom(seed: seed)
      var block = SampleBuffer(repeating: 0, count: 100)
      var sent = 0
      var refused = 0
      while sent < total {
        let size = min(Int.random(in: 1...100, using: &random), total - sent)
        for index in 0..<size { block[index] = sample(at: sent + index) }
        let written: Int
        if size == 1 {
          written = writer.push(block[0]) ? 1 : 0
        } else if size % 2 == 0 {
          written = writer.write(block.view(0..<size))
        } else {
          var free = writer.freeSpan(atMost: size)
          written = free.count
          for index in 0..<written { free[index] = block[index] }
          writer.commit(written)
        }
        if size == 1 || size % 2 == 0 { refused += size - written }
        sent += written
        if written == 0 { sched_yield() }
      }
      return writer.overflowCount == refused
    }

    var random = SeededRandom(seed: seed + 100)
    var block = SampleBuffer(repeating: 0, count: 100)
    var received = 0
    var missing = 0
    var wrong = 0
    while received < total {
      let size = Int.random(in: 1...100, using: &random)
      var got = 0
      if size == 1 {
        if let single = reader.pop() {
          block[0] = single
          got = 1
        }
      } else if size % 2 == 0 {
        var target = block.mutableSpan(0..<size)
        got = reader.read(into: &target)
        missing += size - got
      } else {
        let view = reader.availableView(atMost: size)
        got = view.count
        block.copy(view, to: 0)
        reader.consume(got)
      }
      for index in 0..<got where block[index] != sample(at: received + index) { wrong += 1 }
      received += got
      if got == 0 { sched_yield() }
    }
    #expect(wrong == 0, "seed \(seed)")
    #expect(received == total, "seed \(seed)")
    #expect(reader.underrunCount == missing, "seed \(seed)")
    let countsAgree = thread.join()
    #expect(countsAgree, "seed \(seed)")
    #expect(reader.availableCount == 0, "seed \(seed)")
  }

  @Test(arguments: [1, 8, 256])
  func packetsArriveWholeAndInOrder(capacity: Int) {
    let total = 30_000
    let ring = PacketRing(packetCapacity: capacity, maximumPacketSize: 160)
    var reader = ring.reader
    let producer = Carrier(ring.writer)
    let thread = RunningThread {
      var writer = producer.take()
      var packet = ByteBuffer(repeating: 0, count: 160)
      var sent = 0
      var refused = 0
      while sent < total {
        let size = packetSize(sent)
        for index in 0..<size { packet[index] = packetByte(sent, index) }
        let arrival = MediaInstant(nanoseconds: Int64(sent))
        if writer.write(packet.view(0..<size), at: arrival) == .written {
          sent += 1
        } else {
          refused += 1
          sched_yield()
        }
      }
      return writer.overflowCount == refused && writer.oversizedCount == 0
    }
    var wrong = 0
    var received = 0
    while received < total {
      guard let arrival = reader.frontArrival() else {
        sched_yield()
        continue
      }
      if arrival.nanoseconds != Int64(received) || !isPacket(received, reader.front()) { wrong += 1 }
      reader.removeFront()
      received += 1
    }
    #expect(wrong == 0)
    let countsAgree = thread.join()
    #expect(countsAgree)
    #expect(reader.availableCount == 0)
  }

  /// The fields of what is seen always agree with each other, never run backwards, and the last one arrives.
  @Test func publishedValuesAreNeverTorn() {
    let total: UInt64 = 200_000
    let cell = LatestValue(Agreeing(0))
    var observer = cell.observer
    let setter = Carrier(cell.publisher)
    let thread = RunningThread {
      var publisher = setter.take()
      for number in 1...total { publisher.publish(Agreeing(number)) }
      return true
    }
    var torn = 0
    var backwards = 0
    var newest: UInt64 = 0
    var looksForChange = false
    while newest < total {
      looksForChange.toggle()
      guard let seen = looksForChange ? observer.latestIfChanged() : observer.latest() else { continue }
      if !seen.agrees { torn += 1 }
      if seen.number < newest { backwards += 1 }
      newest = max(newest, seen.number)
    }
    _ = thread.join()
    #expect(torn == 0)
    #expect(backwards == 0)
    #expect(observer.latest().number == total)
  }

  /// The end that goes last frees the memory, whichever thread it is on (the sanitizers watch this one).
  @Test func endsMayGoOnDifferentThreads() {
    for turn in 0..<200 {
      let ring = SampleRing(minimumCapacity: 16)
      let packets = PacketRing(packetCapacity: 2)
      let cell = LatestValue(turn)
      var reader = ring.reader
      var packetReader = packets.reader
      var observer = cell.observer
      let ends = (Carrier(ring.writer), Carrier(packets.writer), Carrier(cell.publisher))
      let thread = RunningThread {
        var writer = ends.0.take()
        var packetWriter = ends.1.take()
        var publisher = ends.2.take()
        publisher.publish(turn + 1)
        return writer.push(1) && packetWriter.write([1].span, at: .zero) == .written
      }
      _ = reader.pop()
      packetReader.removeFront()
      _ = observer.latest()
      if turn % 2 == 0 {
        let wrote = thread.join()
        #expect(wrote)
      }
    }
  }
}

/// A stream that repeats only after 65,521 samples, a prime, so that no ring size hides a shift.
private func sample(at position: Int) -> Float { Float(position % 65_521) }

private func packetSize(_ number: Int) -> Int { number &* 37 % 161 }

private func packetByte(_ number: Int, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: number &* 131 &+ index) }

private func isPacket(_ number: Int, _ packet: borrowing ByteView) -> Bool {
  guard packet.count == packetSize(number) else { return false }
  for index in 0..<packet.count where packet[index] != packetByte(number, index) { return false }
  return true
}

/// More than a cache line of fields that all follow from the first.
private struct Agreeing: BitwiseCopyable, Sendable {
  let number: UInt64
  private let multiples: InlineArray<20, UInt64>
  private let inverse: UInt64

  init(_ number: UInt64) {
    self.number = number
    multiples = InlineArray { number &* UInt64($0 &+ 3) }
    inverse = ~number
  }

  var agrees: Bool {
    for index in 0..<20 where multiples[index] != number &* UInt64(index &+ 3) { return false }
    return inverse == ~number
  }
}
