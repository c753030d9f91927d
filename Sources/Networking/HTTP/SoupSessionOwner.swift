internal import CGLib
internal import CSoup

/// A libsoup session of one loop: its pool of connections. Given back on the loop's thread, wherever it is let go.
final class SoupSessionOwner: Sendable {
  private let session: GObjectRef
  private let loop: EventLoop

  @unsafe var pointer: UnsafeMutablePointer<SoupSession> { unsafe session.to(SoupSession.self) }

  /// Call it on the loop's thread, which the session will belong to.
  init(on loop: EventLoop, trust: TLSTrust, userAgent: String) throws(HTTPError) {
    let authorities: GObjectRef? =
      if case .authorities(let file) = trust { try Self.authorities(in: file, on: loop) } else { nil }
    self.loop = loop
    // Enough that requests to one host do not wait for each other (libsoup's own figure is 2); a choice.
    unsafe session = GObjectRef(adopting: UnsafeMutableRawPointer(antiphon_session_new(userAgent, 64)), on: loop)
    if let authorities {
      unsafe soup_session_set_tls_database(pointer, authorities.to(GTlsDatabase.self))
    }
  }

  deinit {
    loop.perform { [session] in unsafe soup_session_abort(session.to(SoupSession.self)) }
  }

  private static func authorities(in file: String, on loop: EventLoop) throws(HTTPError) -> GObjectRef {
    // GIO wants an absolute path.
    guard let path = unsafe g_canonicalize_filename(file, nil) else {
      throw .certificateFile(file, reason: "no such path")
    }
    defer { unsafe g_free(path) }
    var error: UnsafeMutablePointer<GError>?
    guard let database = unsafe g_tls_file_database_new(path, &error) else {
      let words = unsafe error.map { unsafe String(cString: $0.pointee.message) } ?? "it cannot be read"
      unsafe g_clear_error(&error)
      throw .certificateFile(file, reason: words)
    }
    return unsafe GObjectRef(adopting: UnsafeMutableRawPointer(database), on: loop)
  }
}
