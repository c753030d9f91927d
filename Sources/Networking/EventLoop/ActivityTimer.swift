internal import RealtimeCore

/// Tells once when nothing has happened for a while. Made, touched and let go on the loop's thread.
///
/// Touching is only a note of the time: the timer looks at it when it is due, and sleeps again for what is left.
final class ActivityTimer: @unchecked Sendable {
  private unowned let loop: EventLoop
  private let nanoseconds: Int64
  private let onQuiet: @Sendable () -> Void
  private var touched: MediaInstant
  private var timer: LoopTimer?

  init(on loop: EventLoop, seconds: Double, _ onQuiet: @escaping @Sendable () -> Void) {
    self.loop = loop
    nanoseconds = Int64(max(0, min(seconds, 1e9)) * 1e9)
    self.onQuiet = onQuiet
    touched = EventLoop.now
    arm()
  }

  /// Something has happened.
  func touch() { touched = EventLoop.now }

  func cancel() {
    timer?.cancel()
    timer = nil
  }

  private func arm() {
    timer = loop.schedule(at: touched.advanced(byNanoseconds: nanoseconds)) { [weak self] in self?.look() }
  }

  private func look() {
    if EventLoop.now.nanoseconds(since: touched) >= nanoseconds {
      timer = nil
      onQuiet()
    } else {
      arm()
    }
  }
}

extension EventLoop {
  /// Runs `work` on the loop's thread `seconds` from now.
  func schedule(after seconds: Double, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
    schedule(at: Self.now.advanced(byNanoseconds: Int64(max(0, min(seconds, 1e9)) * 1e9)), work)
  }
}
