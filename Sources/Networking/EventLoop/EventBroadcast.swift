internal import Synchronization

/// What an event stands for, where a newer one takes its place.
package struct EventKind: Equatable, Sendable {
  /// Its place among what a late reader begins with.
  package let rank: Int
  /// Tells kinds of the same rank apart.
  package let name: String

  package init(_ rank: Int, _ name: String = "") {
    self.rank = rank
    self.name = name
  }
}

/// Gives events to any number of readers, in order. A reader that comes late begins with what still holds: the newest
/// event of each kind that the maker tells apart, by rank.
package final class EventBroadcast<Event: Sendable>: Sendable {
  private struct State {
    var holding: [(kind: EventKind, event: Event)] = []
    var readers: [Int: AsyncStream<Event>.Continuation] = [:]
    var readerCount = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  /// Events that wait for one slow reader; beyond, its oldest are lost.
  private let limit: Int
  /// `nil`: the event passes.
  private let kind: @Sendable (Event) -> EventKind?

  package init(limit: Int = 1_024, kind: @escaping @Sendable (Event) -> EventKind?) {
    self.limit = limit
    self.kind = kind
  }

  package var stream: AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(of: Event.self, bufferingPolicy: .bufferingNewest(limit))
    // Under the lock, so that no event comes between what holds and what follows.
    let number = state.withLock { state -> Int? in
      for held in state.holding { continuation.yield(held.event) }
      if state.isFinished { return nil }
      state.readerCount += 1
      state.readers[state.readerCount] = continuation
      return state.readerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
    }
    return stream
  }

  package func publish(_ event: Event) {
    state.withLock { state in
      guard !state.isFinished else { return }
      if let kind = kind(event) {
        state.holding.removeAll { $0.kind == kind }
        let place = state.holding.firstIndex { $0.kind.rank > kind.rank } ?? state.holding.count
        state.holding.insert((kind, event), at: place)
      }
      for reader in state.readers.values { reader.yield(event) }
    }
  }

  /// What holds no more: a late reader does not begin with it.
  package func forget(where isOver: (Event) -> Bool) {
    state.withLock { state in state.holding.removeAll { isOver($0.event) } }
  }

  /// Ends all streams, and at once those that are asked for later, behind what holds.
  package func finish() {
    let finished = state.withLock { state in
      state.isFinished = true
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    // Outside the lock: a reader's end calls back.
    for reader in finished { reader.finish() }
  }

  deinit {
    for reader in state.withLock({ Array($0.readers.values) }) { reader.finish() }
  }
}
