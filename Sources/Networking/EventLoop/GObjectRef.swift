internal import CGLib

/// A counted reference to a GObject that belongs to a loop; given back on the loop's thread, wherever it is let go.
@safe  // `raw` is adopted in init, used on the loop's thread only, and given back once
final class GObjectRef: @unchecked Sendable {
  let raw: UnsafeMutableRawPointer
  private let loop: EventLoop

  /// Takes over one reference.
  init(adopting object: UnsafeMutableRawPointer, on loop: EventLoop) {
    unsafe raw = object
    self.loop = loop
  }

  deinit {
    if loop.isCurrent {
      unsafe g_object_unref(raw)
    } else {
      let reference = unsafe Carried(raw: raw)
      loop.perform { unsafe g_object_unref(reference.raw) }
    }
  }

  /// For C types that are declared only.
  @unsafe var opaque: OpaquePointer { unsafe OpaquePointer(raw) }

  /// For C types whose first members are known.
  @unsafe func to<C>(_ type: C.Type) -> UnsafeMutablePointer<C> { unsafe raw.assumingMemoryBound(to: type) }

  @safe private struct Carried: @unchecked Sendable { let raw: UnsafeMutableRawPointer }
}

/// Where the answer to one of GIO's asynchronous calls goes: `AsyncReply.callback` as its callback, `context(_:)` beside it.
final class AsyncReply {
  private let receive: (AsyncResult) -> Void

  private init(_ receive: @escaping (AsyncResult) -> Void) { self.receive = receive }

  /// The context that `callback` takes with it; `receive` is called once, on the loop's thread.
  static func context(_ receive: @escaping (AsyncResult) -> Void) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passRetained(AsyncReply(receive)).toOpaque()
  }

  static var callback: GAsyncReadyCallback {
    { _, result, context in
      guard let context = unsafe context, let result = unsafe result else { return }
      let reply = unsafe Unmanaged<AsyncReply>.fromOpaque(context).takeRetainedValue()
      reply.receive(unsafe AsyncResult(pointer: result))
    }
  }
}

/// What a `…_finish` call takes; valid only while the reply is received, on the loop's thread.
@safe  // it does not leave the callback that made it
struct AsyncResult: @unchecked Sendable {
  let pointer: OpaquePointer
}
