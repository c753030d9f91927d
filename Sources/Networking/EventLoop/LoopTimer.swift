internal import CGLib
internal import RealtimeCore

/// A call that comes once, at its time, on a loop's thread. It is cancelled when nothing holds it any more.
///
/// - Threads: any. Cancelled on the loop's own thread, it certainly does not fire any more; on another one it may be firing.
@safe  // `source` is made in init and given back in deinit
public final class LoopTimer: @unchecked Sendable {
  private let source: UnsafeMutablePointer<GSource>

  init(_ core: EventLoop.Core, at time: MediaInstant, _ work: @escaping @Sendable () -> Void) {
    // GLib's own timers count from the call and in milliseconds; a source's ready time is absolute, in microseconds.
    unsafe source = g_timeout_source_new(0)
    unsafe g_source_set_ready_time(source, Int(max(0, (time.nanoseconds + 999) / 1_000)))
    unsafe g_source_set_callback(
      source,
      { box in
        guard let box = unsafe box else { return 0 }
        unsafe Unmanaged<Work>.fromOpaque(box).takeUnretainedValue().run()
        return 0  // G_SOURCE_REMOVE: once
      }, Unmanaged.passRetained(Work(work)).toOpaque(),
      { box in
        guard let box = unsafe box else { return }
        unsafe Unmanaged<Work>.fromOpaque(box).release()
      })
    unsafe g_source_attach(source, core.context)
  }

  deinit {
    cancel()
    unsafe g_source_unref(source)
  }

  /// Takes the call back. Does nothing when it has come.
  public func cancel() { unsafe g_source_destroy(source) }

  private final class Work {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
