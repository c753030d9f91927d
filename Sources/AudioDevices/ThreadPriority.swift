internal import CRealtimeKit
internal import Foundation

/// Real-time priority for the calling thread: by itself where the system allows that, else by RealtimeKit, the service
/// that desktop systems have for it.
enum ThreadPriority {
  /// Above ordinary threads, below what the system needs itself; RealtimeKit gives up to 20.
  private static let priority: Int32 = 5

  /// Asks for `SCHED_FIFO`. - Returns: whether the thread has it now. Blocks for up to a second.
  static func makeRealtime() -> Bool {
    var parameter = sched_param()
    parameter.sched_priority = priority
    // A child process must not inherit it.
    if unsafe pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter) == 0 { return true }
    return askRealtimeKit()
  }

  private static func askRealtimeKit() -> Bool {
    guard let bus = SystemBus() else { return false }
    // RealtimeKit wants to be sure that a runaway thread is stopped, and refuses without this limit.
    guard let longest = bus.property("RTTimeUSecMax"), longest > 0 else { return false }
    guard antiphon_limit_realtime(Int64(longest)) == 0 else { return false }
    let most = bus.property("MaxRealtimePriority") ?? 1
    return bus.makeRealtime(thread: antiphon_thread_number(), priority: UInt32(clamping: min(Int(priority), most)))
  }
}

/// A connection to the system's message bus, to speak with RealtimeKit (its D-Bus interface, rtkit 0.13, README).
@safe  // `handle` is opened in init, used only here, closed once in deinit
private struct SystemBus: ~Copyable {
  private static let name = "org.freedesktop.RealtimeKit1"
  private static let path = "/org/freedesktop/RealtimeKit1"
  private static let milliseconds: Int32 = 500
  private let handle: OpaquePointer

  init?() {
    guard let handle = unsafe dbus_bus_get_private(DBUS_BUS_SYSTEM, nil) else { return nil }
    unsafe dbus_connection_set_exit_on_disconnect(handle, 0)
    unsafe self.handle = handle
  }

  deinit {
    unsafe dbus_connection_close(handle)
    unsafe dbus_connection_unref(handle)
  }

  func property(_ property: String) -> Int? {
    guard
      let call = unsafe dbus_message_new_method_call(
        Self.name, Self.path, "org.freedesktop.DBus.Properties", "Get")
    else { return nil }
    defer { unsafe dbus_message_unref(call) }
    guard unsafe antiphon_dbus_append_property(call, Self.name, property) != 0,
      let answer = unsafe dbus_connection_send_with_reply_and_block(handle, call, Self.milliseconds, nil)
    else { return nil }
    defer { unsafe dbus_message_unref(answer) }
    let value = unsafe antiphon_dbus_property(answer)
    return value < 0 ? nil : Int(value)
  }

  func makeRealtime(thread: dbus_uint64_t, priority: UInt32) -> Bool {
    guard let call = unsafe dbus_message_new_method_call(Self.name, Self.path, Self.name, "MakeThreadRealtime") else {
      return false
    }
    defer { unsafe dbus_message_unref(call) }
    guard unsafe antiphon_dbus_append_thread(call, thread, priority) != 0,
      let answer = unsafe dbus_connection_send_with_reply_and_block(handle, call, Self.milliseconds, nil)
    else { return false }
    unsafe dbus_message_unref(answer)
    return true
  }
}
