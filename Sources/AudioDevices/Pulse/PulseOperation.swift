internal import CPulse

/// What the server was asked and has not answered yet.
@safe  // `handle` is given to init, used only here, released once in deinit
struct PulseOperation: ~Copyable {
  private let handle: OpaquePointer

  /// `nil` where libpulse gave no operation: the connection is gone.
  init?(_ handle: OpaquePointer?) {
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = handle
  }

  deinit { unsafe pa_operation_unref(handle) }

  var isRunning: Bool { unsafe pa_operation_get_state(handle) == PA_OPERATION_RUNNING }

  func cancel() { unsafe pa_operation_cancel(handle) }
}
