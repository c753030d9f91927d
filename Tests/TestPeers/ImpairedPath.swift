internal import Foundation
internal import Synchronization
internal import TestSupport

/// A stretch of network between two ends on this machine, which loses, delays and reorders datagrams as it is told.
///
/// Each end talks to a port of the path as if it were the other end's: put these in place of the true ones.
public final class ImpairedPath: Sendable {
  /// What happens to datagrams; may change at any time.
  public struct Impairment: Sendable {
    /// Share of datagrams that get lost, 0...1.
    public var loss = 0.0
    /// Each is late by so many milliseconds, at random; later ones may overtake it.
    public var jitterMilliseconds = 0.0...0.0
    /// Nothing passes.
    public var isCut = false

    /// A perfect path.
    public init() {}
  }

  private let impairment = Mutex(Impairment())
  private let isEnded = Atomic<Bool>(false)
  private let toFirst: LoopbackSocket
  private let toSecond: LoopbackSocket

  /// A path between two ports of 127.0.0.1.
  public init(between first: UInt16, and second: UInt16) throws {
    toFirst = try LoopbackSocket()
    toSecond = try LoopbackSocket()
    for (entrance, exit, target, seed) in [(toFirst, toSecond, second, 1), (toSecond, toFirst, first, 2)] {
      let thread = Thread { [self] in carry(from: entrance, by: exit, to: target, seed: UInt64(seed)) }
      thread.start()
    }
  }

  /// The port that the first end is to take for the second's.
  public var secondAsSeenByFirst: UInt16 { toFirst.port }
  /// The port that the second end is to take for the first's.
  public var firstAsSeenBySecond: UInt16 { toSecond.port }

  /// Changes what happens to datagrams from now on.
  public func impair(_ change: @Sendable (inout Impairment) -> Void) { impairment.withLock { change(&$0) } }

  /// Nothing passes any more, and the threads end.
  public func end() { isEnded.store(true, ordering: .relaxed) }

  private func carry(from entrance: LoopbackSocket, by exit: LoopbackSocket, to target: UInt16, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var waiting: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
    while !isEnded.load(ordering: .relaxed) {
      let now = ContinuousClock.now
      while let next = waiting.first, next.due <= now {
        exit.send(next.bytes, to: target)
        waiting.removeFirst()
      }
      guard let bytes = entrance.receive(within: waiting.isEmpty ? 20 : 1)?.bytes else { continue }
      let state = impairment.withLock { $0 }
      if state.isCut || Double.random(in: 0..<1, using: &random) < state.loss { continue }
      let due = ContinuousClock.now + .milliseconds(Double.random(in: state.jitterMilliseconds, using: &random))
      let place = waiting.firstIndex { $0.due > due } ?? waiting.count
      waiting.insert((due, bytes), at: place)
    }
  }
}
