import Antiphon
import Foundation
import Synchronization

/// A thread that serves its share of the calls.
final class CallServer: @unchecked Sendable {
  private let calls: [ServedCall]
  private let stop: StopFlag
  private let done = DispatchSemaphore(value: 0)
  private var hasThread = false

  init(_ calls: [ServedCall], _ stop: StopFlag) {
    self.calls = calls
    self.stop = stop
  }

  /// Serves on a thread of its own.
  func start() {
    hasThread = true
    let thread = Thread { [self] in
      serve()
      done.signal()
    }
    thread.start()
  }

  /// What its calls have counted, when it has ended.
  func finish() -> ServedCall.Counts {
    if hasThread { done.wait() }
    var total = ServedCall.Counts()
    for call in calls { total.add(call.counts) }
    return total
  }

  /// Serves until the stop.
  func serve() {
    var poll = DatagramPoll()
    for call in calls { poll.add(call.socket) }
    var next = 0
    while !stop.isSet {
      // Due in the order of their numbers, round and round.
      if calls[next].due <= EventLoop.now {
        calls[next].turn()
        next = (next + 1) % calls.count
      }
      guard poll.wait(until: calls[next].due) > 0 else { continue }
      for (index, call) in calls.enumerated() where poll.isReadable(index) { call.receive() }
    }
  }
}

/// Set by SIGTERM and SIGINT.
final class StopFlag: Sendable {
  private static let flag = Atomic<Bool>(false)

  init() {
    for number in [SIGTERM, SIGINT] { signal(number) { _ in StopFlag.flag.store(true, ordering: .relaxed) } }
  }

  var isSet: Bool { Self.flag.load(ordering: .relaxed) }
}
