internal import CPulse
internal import Foundation

/// The thread of libpulse, and the lock under which its callbacks run and all calls must be made.
@safe  // `handle` is made in init, used only here and through `api`, stopped and freed once in deinit
struct PulseLoop: ~Copyable, @unchecked Sendable {
  private let handle: OpaquePointer

  init() throws(AudioDeviceError) {
    guard let handle = unsafe pa_threaded_mainloop_new() else {
      throw .refused(doing: "a thread for sound", reason: "no memory")
    }
    guard unsafe pa_threaded_mainloop_start(handle) == 0 else {
      unsafe pa_threaded_mainloop_free(handle)
      throw .refused(doing: "a thread for sound", reason: "the system gives no thread")
    }
    unsafe self.handle = handle
  }

  deinit {
    unsafe pa_threaded_mainloop_stop(handle)
    unsafe pa_threaded_mainloop_free(handle)
  }

  /// Does `work` under the lock; from the loop's own thread, which holds it, at once.
  func locked<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
    if isOwnThread { return try work() }
    unsafe pa_threaded_mainloop_lock(handle)
    defer { unsafe pa_threaded_mainloop_unlock(handle) }
    return try work()
  }

  var isOwnThread: Bool { unsafe pa_threaded_mainloop_in_thread(handle) != 0 }

  /// Waits for the next `signal`, under the lock, never on the loop's own thread.
  func wait() { unsafe pa_threaded_mainloop_wait(handle) }

  /// Wakes whoever waits; from a callback.
  func signal() { unsafe pa_threaded_mainloop_signal(handle, 0) }

  /// The loop's own table of functions; it lives as long as the loop.
  @unsafe var api: UnsafeMutablePointer<pa_mainloop_api> { unsafe pa_threaded_mainloop_get_api(handle) }
}
