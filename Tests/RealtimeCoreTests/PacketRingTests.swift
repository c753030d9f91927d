import RealtimeCore
import TestSupport
import Testing

@Suite struct PacketRingTests {
  /// Whatever order writes and reads come in, packets come out whole, in order, with their times.
  @Test(arguments: 0..<32 as Range<UInt64>)
  func packetsComeOutWholeAndInOrder(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let capacity = 1 << Int.random(in: 0...4, using: &random)
    let maximumSize = Int.random(in: 1...200, using: &random)
    let ring = PacketRing(packetCapacity: capacity, maximumPacketSize: maximumSize)
    var writer = ring.writer
    var reader = ring.reader
    var queue: [(bytes: [UInt8], arrival: MediaInstant)] = []
    var (refused, oversized) = (0, 0)

    for step in 0..<600 {
      let arrival = MediaInstant(nanoseconds: Int64(step))
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        let size = Int.random(in: 0...maximumSize + 2, using: &random)
        let packet = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        let outcome = writer.write(packet.span, at: arrival)
        if size > maximumSize {
          #expect(outcome == .oversized, "seed \(seed)")
          oversized += 1
        } else if queue.count == capacity {
          #expect(outcome == .full, "seed \(seed)")
          refused += 1
        } else {
          #expect(outcome == .written, "seed \(seed)")
          queue.append((packet, arrival))
        }
      case 1:
        var slot = writer.freeSlot()
        let room = slot.count
        #expect(room == (queue.count < capacity ? maximumSize : 0), "seed \(seed)")
        guard room > 0 else {
          refused += 1
          continue
        }
        let size = Int.random(in: 0...room, using: &random)
        let packet = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
        for index in 0..<size { slot[index] = packet[index] }
        writer.commit(size, at: arrival)
        queue.append((packet, arrival))
      default:
        let count = reader.availableCount
        #expect(count == queue.count, "seed \(seed)")
        let front = reader.frontArrival()
        #expect(front == queue.first?.arrival, "seed \(seed)")
        let bytes = bytesOfFront(&reader)
        #expect(bytes == queue.first?.bytes ?? [], "seed \(seed)")
        reader.removeFront()
        if !queue.isEmpty { queue.removeFirst() }
      }
      #expect(writer.overflowCount == refused, "seed \(seed)")
      #expect(writer.oversizedCount == oversized, "seed \(seed)")
    }
  }

  @Test func aPacketOfNoBytesIsAPacket() {
    let ring = PacketRing(packetCapacity: 2)
    var writer = ring.writer
    var reader = ring.reader
    #expect(reader.frontArrival() == nil)
    #expect(writer.write([UInt8]().span, at: MediaInstant(nanoseconds: 7)) == .written)
    #expect(reader.frontArrival() == MediaInstant(nanoseconds: 7))
    #expect(bytesOfFront(&reader).isEmpty)
    reader.removeFront()
    #expect(reader.frontArrival() == nil)
  }

  @Test func aFullRingRefusesAndCountsUntilAPacketIsTaken() {
    let ring = PacketRing(packetCapacity: 2, maximumPacketSize: 4)
    var writer = ring.writer
    var reader = ring.reader
    for byte in 1...2 as ClosedRange<UInt8> { #expect(writer.write([byte].span, at: .zero) == .written) }
    #expect(writer.write([3].span, at: .zero) == .full)
    #expect(writer.overflowCount == 1)
    #expect(bytesOfFront(&reader) == [1])
    reader.removeFront()
    #expect(writer.write([4].span, at: .zero) == .written)
    #expect(bytesOfFront(&reader) == [2])
    reader.removeFront()
    #expect(bytesOfFront(&reader) == [4])
  }

  @Test func theLongestPacketFitsAndOneByteMoreDoesNot() {
    let ring = PacketRing(packetCapacity: 1, maximumPacketSize: 65)
    var writer = ring.writer
    var reader = ring.reader
    let longest = (0..<65).map(UInt8.init)
    #expect(writer.write((longest + [0]).span, at: .zero) == .oversized)
    #expect(writer.oversizedCount == 1 && writer.overflowCount == 0)
    #expect(writer.write(longest.span, at: .zero) == .written)
    #expect(bytesOfFront(&reader) == longest)
  }

  @Test func removingFromAnEmptyRingChangesNothing() {
    let ring = PacketRing(packetCapacity: 1)
    var writer = ring.writer
    var reader = ring.reader
    reader.removeFront()
    #expect(reader.availableCount == 0)
    #expect(writer.write([9].span, at: .zero) == .written)
    #expect(bytesOfFront(&reader) == [9])
  }

  @Test func committingIntoAFullRingTraps() async {
    await #expect(processExitsWith: .failure) {
      let ring = PacketRing(packetCapacity: 1)
      var writer = ring.writer
      writer.commit(0, at: .zero)
      writer.commit(0, at: .zero)
    }
  }

  @Test func committingMoreThanASlotHoldsTraps() async {
    await #expect(processExitsWith: .failure) {
      let ring = PacketRing(packetCapacity: 1, maximumPacketSize: 10)
      var writer = ring.writer
      writer.commit(11, at: .zero)
    }
  }

  private func bytesOfFront(_ reader: inout PacketRing.Reader) -> [UInt8] {
    let front = reader.front()
    var bytes: [UInt8] = []
    for index in 0..<front.count { bytes.append(front[index]) }
    return bytes
  }
}
