internal import CGLib
internal import RealtimeCore

/// One question to the system's resolver, asked on a loop and answered there; at most once, and never after it is let go.
@safe  // both handles are made in init; the operation holds references of its own
final class NameLookup {
  private let cancellable: UnsafeMutablePointer<GCancellable>
  private let answer: Answer
  private let timer: LoopTimer

  /// Seconds after which a name counts as unknown: multicast DNS answers within one (RFC 6762 §5.2).
  private static let timeout = 5.0

  /// Asks for the addresses of `name`. Call it on the loop's thread; `completion` gets none when there are none.
  init(_ name: String, on loop: EventLoop, _ completion: @escaping @Sendable ([IPAddress]) -> Void) {
    let answer = Answer(completion)
    self.answer = answer
    let cancellable = unsafe g_cancellable_new()!
    unsafe self.cancellable = unsafe cancellable
    timer = loop.schedule(at: EventLoop.now.advanced(byMilliseconds: Self.timeout * 1_000)) { answer.give([]) }
    let resolver = unsafe g_resolver_get_default()
    unsafe g_resolver_lookup_by_name_async(
      resolver, name, cancellable,
      { source, result, answer in
        guard let answer = unsafe answer else { return }
        unsafe Unmanaged<Answer>.fromOpaque(answer).takeRetainedValue().give(NameLookup.addresses(source, result))
      }, Unmanaged.passRetained(answer).toOpaque())
    unsafe g_object_unref(resolver)
  }

  deinit {
    answer.isWanted = false
    unsafe g_cancellable_cancel(cancellable)
    unsafe g_object_unref(cancellable)
  }

  private static func addresses(_ source: UnsafeMutablePointer<GObject>?, _ result: OpaquePointer?) -> [IPAddress] {
    let resolver = unsafe UnsafeMutableRawPointer(source)?.assumingMemoryBound(to: GResolver.self)
    let list = unsafe g_resolver_lookup_by_name_finish(resolver, result, nil)
    defer { unsafe g_resolver_free_addresses(list) }
    var found: [IPAddress] = []
    var item = unsafe list
    while let entry = unsafe item {
      if let text = unsafe g_inet_address_to_string(entry.pointee.data.assumingMemoryBound(to: GInetAddress.self)) {
        if let address = unsafe IPAddress(String(cString: text)) { found.append(address) }
        unsafe g_free(text)
      }
      unsafe item = entry.pointee.next
    }
    return found
  }

  /// What the resolver's operation and the timer hold on to; touched on the loop's thread only.
  private final class Answer: @unchecked Sendable {
    private let completion: @Sendable ([IPAddress]) -> Void
    var isWanted = true
    init(_ completion: @escaping @Sendable ([IPAddress]) -> Void) { self.completion = completion }

    func give(_ addresses: [IPAddress]) {
      guard isWanted else { return }
      isWanted = false
      completion(addresses)
    }
  }
}
