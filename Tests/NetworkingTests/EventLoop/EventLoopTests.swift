import RealtimeCore
import Synchronization
import Testing

@testable import Networking

@Suite("Event loop")
struct EventLoopTests {
  /// An actor that lives on a loop.
  actor Counter {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
    private(set) var values: [Int] = []

    init(_ loop: EventLoop) { self.loop = loop }

    func add(_ value: Int) -> Bool {
      values.append(value)
      return loop.isCurrent
    }

    /// As a C callback would come: on the loop's thread, outside of any task.
    nonisolated func addFromCallback(_ value: Int) {
      assumeIsolated { $0.values.append(value) }
    }
  }

  @Test("an actor's code runs on the loop's thread, in order")
  func actorRunsOnLoop() async {
    let counter = Counter(EventLoop())
    for value in 0..<100 { #expect(await counter.add(value)) }
    #expect(await counter.values == Array(0..<100))
    #expect(!counter.loop.isCurrent)
  }

  @Test("a callback on the loop's thread is inside its actors")
  func callbackIsIsolated() async {
    let counter = Counter(EventLoop())
    await withCheckedContinuation { done in
      counter.loop.perform {
        counter.addFromCallback(7)
        done.resume()
      }
    }
    #expect(await counter.values == [7])
  }

  @Test("timers fire in the order of their times, not before them, and not when cancelled")
  func timers() async {
    let loop = EventLoop()
    let fired = Mutex<[(name: Int, early: Bool)]>([])
    let now = EventLoop.now
    var timers = (1...5).reversed().map { name in
      let due = now.advanced(byNanoseconds: Int64(name) * 20_000_000)
      return loop.schedule(at: due) { fired.withLock { $0.append((name, EventLoop.now < due)) } }
    }
    timers[2].cancel()
    await withCheckedContinuation { done in
      timers.append(loop.schedule(at: now.advanced(byNanoseconds: 110_000_000)) { done.resume() })
    }
    #expect(fired.withLock { $0.map(\.name) } == [1, 2, 4, 5])
    #expect(fired.withLock { $0.allSatisfy { !$0.early } })
    withExtendedLifetime(timers) {}
  }

  @Test("what was enqueued before the last reference went is done, and its memory is given back")
  func endsCleanly() async {
    weak var loop: EventLoop?
    let count = Atomic<Int>(0)
    await withCheckedContinuation { done in
      let owned = EventLoop()
      loop = owned
      for _ in 0..<1_000 { owned.perform { count.wrappingAdd(1, ordering: .relaxed) } }
      owned.perform { done.resume() }
    }
    #expect(count.load(ordering: .relaxed) == 1_000)
    #expect(loop == nil)
  }
}
