internal import CGLib
public import RealtimeCore
internal import Synchronization

/// The thread that serves sockets: one GLib main context, and the Swift executor of the actors that live on it.
///
/// An actor whose `unownedExecutor` is a loop runs all its code on this thread, where the callbacks of libnice and libsoup
/// come too, so that neither needs a lock. One loop serves many connections; two loops share nothing.
/// - Threads: any. The thread ends when the last reference to the loop is gone and what was enqueued before is done.
public final class EventLoop: SerialExecutor {
  private let core: Core

  /// Starts the thread.
  /// - Parameter name: what debuggers call it; Linux shows the first 15 bytes.
  public init(name: String = "antiphon-net") {
    let core = Core()
    self.core = core
    core.start(name: name)
  }

  deinit { core.stop() }

  /// The monotonic clock that timers go by, the same as that of the sound devices.
  public static var now: MediaInstant { MediaInstant(nanoseconds: Int64(g_get_monotonic_time()) * 1_000) }

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool { core.isCurrent }

  /// Runs `work` on the loop's thread, after all that was enqueued before.
  public func perform(_ work: @escaping @Sendable () -> Void) { core.append(.work(work)) }

  /// Runs `work` on the loop's thread when `time` has come, unless the timer is cancelled or let go before.
  public func schedule(at time: MediaInstant, _ work: @escaping @Sendable () -> Void) -> LoopTimer {
    LoopTimer(core, at: time, work)
  }

  /// The GLib context, for sources of this loop.
  @unsafe var context: OpaquePointer { unsafe core.context }

  /// Runs a task's next part on the loop's thread; Swift calls it.
  public func enqueue(_ job: consuming ExecutorJob) {
    unsafe core.append(.job(UnownedJob(job), asUnownedSerialExecutor()))
  }

  /// Traps on any other thread than the loop's; Swift calls it.
  public func checkIsolated() {
    precondition(isCurrent, "this runs on another thread than the EventLoop that its actor lives on")
  }

  /// The same as an answer; Swift calls it.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }
}

extension EventLoop {
  /// What the thread holds on to, so that it can outlive the loop until its last job is done.
  @safe  // `context` is made in init and given back in deinit
  final class Core: @unchecked Sendable {
    @safe  // the executor that a job names is the loop, which lives until its jobs are done
    enum Item: Sendable {
      case job(UnownedJob, UnownedSerialExecutor)
      case work(@Sendable () -> Void)
    }

    let context: OpaquePointer
    private let waiting = Mutex<[Item]>([])
    private let isStopped = Atomic<Bool>(false)

    init() { unsafe context = g_main_context_new() }

    deinit { unsafe g_main_context_unref(context) }

    var isCurrent: Bool { unsafe g_main_context_is_owner(context) != 0 }

    func append(_ item: Item) {
      waiting.withLock { $0.append(item) }
      unsafe g_main_context_wakeup(context)
    }

    func stop() {
      isStopped.store(true, ordering: .releasing)
      unsafe g_main_context_wakeup(context)
    }

    func start(name: String) {
      let retained = unsafe Unmanaged.passRetained(self).toOpaque()
      let thread = unsafe g_thread_new(
        name,
        { retained in
          guard let retained = unsafe retained else { return nil }
          unsafe Unmanaged<Core>.fromOpaque(retained).takeRetainedValue().run()
          return nil
        }, retained)
      // The thread frees itself; nobody waits for it.
      unsafe g_thread_unref(thread)
    }

    private func run() {
      unsafe g_main_context_push_thread_default(context)
      unsafe g_main_context_acquire(context)
      while true {
        // Read before the jobs are: one that was enqueued before the stop is done still.
        let isLast = isStopped.load(ordering: .acquiring)
        let items = waiting.withLock { waiting in
          defer { waiting = [] }
          return waiting
        }
        for item in items { Self.run(item) }
        if isLast, items.isEmpty { break }
        unsafe g_main_context_iteration(context, isLast || !items.isEmpty ? 0 : 1)
      }
      unsafe g_main_context_release(context)
      unsafe g_main_context_pop_thread_default(context)
    }

    private static func run(_ item: Item) {
      switch item {
      case .job(let job, let executor): unsafe job.runSynchronously(on: executor)
      case .work(let work): work()
      }
    }
  }
}
