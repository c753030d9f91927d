internal import CGLib
internal import CSoup

/// Watches a request while it is read: its size, its time, and silence. On the loop's thread only.
final class HTTPServerIntake: @unchecked Sendable {
  private let settings: HTTPServer.Settings
  private var bodyBytes = 0
  private var deadline: LoopTimer?

  private init(_ settings: HTTPServer.Settings) { self.settings = settings }

  /// Watches a message from its first byte on; libsoup's handlers keep the watch alive as long as the message lives.
  static func watch(_ message: GObjectRef, on loop: EventLoop, settings: HTTPServer.Settings) {
    guard let socket = unsafe soup_server_message_get_socket(message.opaque) else { return }
    unsafe g_socket_set_timeout(socket, guint(settings.idleSeconds))
    let intake = HTTPServerIntake(settings)
    let held = unsafe GObjectRef(adopting: g_object_ref(socket), on: loop)
    intake.deadline = loop.schedule(after: settings.requestTimeout) {
      unsafe g_socket_shutdown(held.to(GSocket.self), 1, 1, nil)
    }
    unsafe antiphon_on_got_headers(
      message.opaque, { message, context in HTTPServerIntake.at(context)?.gotHeaders(message) },
      Unmanaged.passRetained(intake).toOpaque(), releaseIntake)
    unsafe antiphon_on_got_chunk(
      message.opaque, { message, chunk, context in HTTPServerIntake.at(context)?.gotChunk(message, chunk) },
      Unmanaged.passRetained(intake).toOpaque(), releaseIntake)
    unsafe antiphon_on_got_body(
      message.opaque, { _, context in HTTPServerIntake.at(context)?.deadline = nil },
      Unmanaged.passRetained(intake).toOpaque(), releaseIntake)
  }

  @safe private static func at(_ context: UnsafeMutableRawPointer?) -> HTTPServerIntake? {
    guard let context = unsafe context else { return nil }
    return unsafe Unmanaged<HTTPServerIntake>.fromOpaque(context).takeUnretainedValue()
  }

  @safe private func gotHeaders(_ message: OpaquePointer) {
    let headers = unsafe soup_server_message_get_request_headers(message)
    if unsafe soup_message_headers_get_content_length(headers) > settings.maximumBodyBytes { unsafe refuse(message) }
  }

  @safe private func gotChunk(_ message: OpaquePointer, _ chunk: OpaquePointer) {
    bodyBytes += Int(unsafe g_bytes_get_size(chunk))
    if bodyBytes > settings.maximumBodyBytes { unsafe refuse(message) }
  }

  /// Keeps no more of the body, and no connection behind it. What still comes is read away until the deadline.
  private func refuse(_ message: OpaquePointer) {
    guard unsafe soup_server_message_get_status(message) == 0 else { return }
    let body = unsafe soup_server_message_get_request_body(message)
    unsafe soup_message_body_set_accumulate(body, 0)
    unsafe soup_message_headers_replace(soup_server_message_get_response_headers(message), "Connection", "close")
    unsafe soup_server_message_set_status(message, 413, nil)
  }
}

private let releaseIntake: GClosureNotify = { context, _ in
  guard let context = unsafe context else { return }
  unsafe Unmanaged<HTTPServerIntake>.fromOpaque(context).release()
}
