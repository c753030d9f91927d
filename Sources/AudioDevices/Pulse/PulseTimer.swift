internal import CPulse
internal import Foundation

/// One timer of libpulse's loop. All of it under the loop's lock.
@safe  // `event` is made in init, used only here, freed once in deinit; the loop outlives it
struct PulseTimer: ~Copyable {
  private let api: UnsafeMutablePointer<pa_mainloop_api>
  private let event: OpaquePointer

  /// Calls `work` with `user` on the loop's thread, once.
  init?(
    _ loop: borrowing PulseLoop, afterMilliseconds delay: Int, _ user: UnsafeMutableRawPointer,
    _ work: pa_time_event_cb_t
  ) {
    let api = unsafe loop.api
    var time = Self.time(afterMilliseconds: delay)
    guard let event = unsafe api.pointee.time_new(api, &time, work, user) else { return nil }
    unsafe self.api = api
    unsafe self.event = event
  }

  deinit { unsafe api.pointee.time_free(event) }

  /// Calls again, once, so much later.
  func restart(afterMilliseconds delay: Int) {
    var time = Self.time(afterMilliseconds: delay)
    unsafe api.pointee.time_restart(event, &time)
  }

  private static func time(afterMilliseconds delay: Int) -> timeval {
    var time = timeval()
    unsafe pa_gettimeofday(&time)
    unsafe pa_timeval_add(&time, pa_usec_t(delay) * 1_000)
    return time
  }
}
