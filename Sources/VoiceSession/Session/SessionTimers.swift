internal import RealtimeCore

/// A session's timers on its own clock.
struct SessionTimers<Own: Hashable & Sendable>: Sendable {
  /// Which.
  enum Name: Hashable, Sendable {
    /// The dialect's.
    case own(Own)
    /// Was it a false alarm, the agent goes on.
    case resumeAgent
  }

  private var running: [(name: Name, deadline: MediaInstant)] = []

  mutating func set(_ name: Name, at deadline: MediaInstant) {
    cancel(name)
    // Behind those that are due at the same moment: they come in the order in which they were set.
    let place = running.firstIndex { $0.deadline > deadline } ?? running.count
    running.insert((name, deadline), at: place)
  }

  mutating func cancel(_ name: Name) { running.removeAll { $0.name == name } }

  mutating func cancelAll() { running = [] }

  func isSet(_ name: Name) -> Bool { running.contains { $0.name == name } }

  /// When the next is due.
  var next: MediaInstant? { running.first?.deadline }

  /// The next one that is due.
  mutating func popDue(at now: MediaInstant) -> (name: Name, deadline: MediaInstant)? {
    guard let first = running.first, first.deadline <= now else { return nil }
    return running.removeFirst()
  }
}
