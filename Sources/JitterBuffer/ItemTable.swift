import RealtimeCore

/// Where the answers begin and end on the time line, as unwrapped timestamps; the last 256 of them.
struct ItemTable: ~Copyable {
  struct Item: BitwiseCopyable, Sendable {
    var id = 0
    var start: Int64 = 0
    /// `max` as long as the item can grow.
    var end = Int64.max

    @_noLocks
    init() {}

    @_noLocks
    init(id: Int, start: Int64) {
      self.id = id
      self.start = start
    }
  }

  private static var capacity: Int { @_noLocks get { 256 } }
  private var items = FixedBuffer<Item>(repeating: Item(), count: capacity)
  private var written = 0

  init() {}

  /// The item opened last.
  var newest: Item? {
    @_noLocks get { written > 0 ? items[(written &- 1) % Self.capacity] : nil }
  }

  /// Whether one more item takes the place of none that has yet to be played.
  @_noLocks
  func canOpen(playedTo timestamp: Int64) -> Bool {
    written < Self.capacity || items[written % Self.capacity].end <= timestamp
  }

  /// Opens an item that begins where the one before it ends.
  @_noLocks
  mutating func open(_ id: Int, at start: Int64) {
    end(at: start)
    items[written % Self.capacity] = Item(id: id, start: start)
    written &+= 1
  }

  /// Ends the newest item, if it has no end yet.
  @_noLocks
  mutating func end(at end: Int64) {
    guard written > 0 else { return }
    let index = (written &- 1) % Self.capacity
    if items[index].end == .max { items[index].end = max(items[index].start, end) }
  }

  /// The newest item that begins at or before `timestamp`.
  @_noLocks
  func item(at timestamp: Int64) -> Item? {
    var position = written
    while position > max(0, written &- Self.capacity) {
      position &-= 1
      let item = items[position % Self.capacity]
      if item.start <= timestamp { return item }
    }
    return nil
  }

  /// The item of number `id`, if it is among the last ones.
  @_noLocks
  func item(_ id: Int) -> Item? {
    var position = written
    while position > max(0, written &- Self.capacity) {
      position &-= 1
      let item = items[position % Self.capacity]
      if item.id == id { return item }
    }
    return nil
  }

  /// Where the items up to `id` end: the start of the first item behind them, or `nil` when there is none.
  @_noLocks
  func start(after id: Int) -> Int64? {
    var found: Int64?
    var position = written
    while position > max(0, written &- Self.capacity) {
      position &-= 1
      let item = items[position % Self.capacity]
      if item.id <= id { break }
      found = item.start
    }
    return found
  }

  /// Forgets all items, for a new time line.
  @_noLocks
  mutating func removeAll() { written = 0 }
}
