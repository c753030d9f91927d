import RealtimeCore
import Testing

@testable import JitterBuffer

@Suite struct PacketStoreTests {
  private func packet(_ number: Int) -> StoredPacket {
    var packet = StoredPacket()
    packet.sequence = Int64(number)
    packet.timestamp = Int64(number) * 960
    packet.duration = 960
    return packet
  }

  private func insert(_ number: Int, into store: inout PacketStore) -> PacketStore.Outcome {
    var payload = ByteBuffer(repeating: 1, count: 3)
    payload[0] = UInt8(truncatingIfNeeded: number)
    return store.insert(packet(number), payload: payload.view)
  }

  private func numbers(_ store: borrowing PacketStore) -> [Int] {
    (0..<store.count).map { Int(store[$0].sequence) }
  }

  @Test func packetsAreKeptInTheOrderOfTheirTimestampsWithTheirPayloads() {
    var store = PacketStore(capacity: 8, slotSize: 16)
    for number in [5, 3, 9, 4] { #expect(insert(number, into: &store) == .inserted) }
    let order = numbers(store)
    #expect(order == [3, 4, 5, 9])
    for position in 0..<4 {
      let first = store.payload(position)[0]
      #expect(Int(first) == order[position])
    }
  }

  @Test func aSecondCopyIsRefused() {
    var store = PacketStore(capacity: 8, slotSize: 16)
    _ = insert(5, into: &store)
    _ = insert(6, into: &store)
    #expect(insert(5, into: &store) == .duplicate)
    #expect(store.count == 2)
  }

  @Test func theOldestGivesWayWhenAllSlotsAreTaken() {
    var store = PacketStore(capacity: 8, slotSize: 16)
    for number in 1...8 { _ = insert(number, into: &store) }
    #expect(insert(9, into: &store) == .insertedInPlaceOfOldest)
    #expect(numbers(store) == Array(2...9))
    #expect(store.payload(7)[0] == 9)
  }

  @Test func slotsAreUsedAgainWithoutMixingUpPayloads() {
    var store = PacketStore(capacity: 4, slotSize: 16)
    for number in 1...100 {
      _ = insert(number, into: &store)
      if store.count == 3 { store.removeFirst(2) }
      let last = store.payload(store.count - 1)[0]
      #expect(last == UInt8(number))
    }
  }
}
