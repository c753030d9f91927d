/// What the platform does with an application's packets: a queue of limited length, one packet out each 20 ms, marks that
/// are told when all before them was played. No clock in it: the driver ticks.
struct VonagePlayout: Sendable {
  private enum Item: Sendable {
    case packet([UInt8])
    case mark(JSON)
  }

  let limit: Int
  private var items: [Item] = []
  private var first = 0
  /// Packets that wait.
  private(set) var count = 0
  /// Packets that came when the queue was full.
  private(set) var lostCount = 0

  init(limit: Int) { self.limit = limit }

  /// - Returns: false when the queue is full and the packet is lost.
  mutating func push(_ packet: [UInt8]) -> Bool {
    guard count < limit else {
      lostCount += 1
      return false
    }
    count += 1
    items.append(.packet(packet))
    return true
  }

  /// Asks to be told when all before it was played.
  mutating func mark(_ payload: JSON) { items.append(.mark(payload)) }

  /// Drops all, marks included: those are never told.
  mutating func clear() {
    items = []
    first = 0
    count = 0
  }

  /// The next 20 ms: the packet to play, `nil` for silence, and the marks that come due with it.
  mutating func tick() -> (packet: [UInt8]?, marks: [JSON]) {
    var marks: [JSON] = []
    var packet: [UInt8]?
    while first < items.count {
      switch items[first] {
      case .mark(let payload): marks.append(payload)
      case .packet(let bytes):
        guard packet == nil else { return (packet, marks) }
        packet = bytes
        count -= 1
        // What is marked behind a packet was played when the packet has: with the next tick.
        first += 1
        compact()
        return (packet, marks)
      }
      first += 1
    }
    compact()
    return (packet, marks)
  }

  private mutating func compact() {
    guard first == items.count || first > 512 else { return }
    items.removeFirst(first)
    first = 0
  }
}
