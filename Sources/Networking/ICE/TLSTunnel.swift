internal import CGLib

// TURN over TLS (RFC 8656 §2.1). What libnice calls TURN_TLS is no TLS: for the standard's mode it is plain TCP, for
// Google's and Microsoft's an imitation of a handshake (agent.c, agent_create_tcp_turn_socket). So libnice is given a TCP
// server on the loopback interface, and what comes there goes on inside TLS.

/// Carries TCP connections from a port of the loopback interface to a server through TLS, one beside the other.
///
/// The server must show a certificate for its name, or the connection ends. Closes all with the last reference.
/// - Threads: the loop's only.
@safe  // both handles are made in init and given back in deinit; operations under way hold references of their own
final class TLSTunnel {
  /// Where to connect to.
  let address: String
  let port: UInt16
  private let listener: UnsafeMutablePointer<GSocketListener>
  private let cancellable: UnsafeMutablePointer<GCancellable>
  private let target: Target

  /// One for each of this machine's addresses is what libnice opens.
  static let connectionLimit = 16

  /// - Parameters:
  ///   - authorities: a PEM file that vouches for the server; `nil` for the system's.
  ///   - isIPv4: whether libnice will come from IPv4 addresses.
  ///   - onFailure: gets the reason why a connection did not come about.
  init(
    to host: String, port: UInt16, authorities: String?, isIPv4: Bool, onFailure: @escaping (String) -> Void
  ) throws(ICEError) {
    address = isIPv4 ? "127.0.0.1" : "::1"
    var database: UnsafeMutablePointer<GTlsDatabase>?
    if let authorities {
      unsafe database = g_tls_file_database_new(authorities, nil)
      guard unsafe database != nil else { throw .unreadableAuthorities(authorities) }
    }
    unsafe listener = unsafe g_socket_listener_new()
    unsafe cancellable = unsafe g_cancellable_new()
    target = unsafe Target(host, port, database, cancellable, onFailure)
    let own = unsafe g_inet_socket_address_new_from_string(address, 0)
    defer { unsafe g_object_unref(own) }
    var bound: UnsafeMutablePointer<GSocketAddress>?
    let isBound = unsafe g_socket_listener_add_address(
      listener, own, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, nil, &bound, nil)
    guard isBound != 0, let bound = unsafe bound else {
      unsafe g_object_unref(listener)
      unsafe g_object_unref(cancellable)
      throw .noLocalAddress
    }
    self.port = unsafe UnsafeMutableRawPointer(bound).withMemoryRebound(to: GInetSocketAddress.self, capacity: 1) {
      unsafe g_inet_socket_address_get_port($0)
    }
    unsafe g_object_unref(bound)
    unsafe Self.accept(listener, target)
  }

  deinit {
    unsafe g_cancellable_cancel(cancellable)
    unsafe g_socket_listener_close(listener)
    unsafe g_object_unref(listener)
    unsafe g_object_unref(cancellable)
  }

  private static func accept(_ listener: UnsafeMutablePointer<GSocketListener>, _ target: Target) {
    unsafe g_socket_listener_accept_async(
      listener, target.cancellable,
      { source, result, data in
        guard let data = unsafe data, let source = unsafe source else { return }
        let target = unsafe Unmanaged<Target>.fromOpaque(data).takeRetainedValue()
        let listener = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: GSocketListener.self)
        guard let connection = unsafe g_socket_listener_accept_finish(listener, result, nil, nil) else { return }
        if target.connectionCount < TLSTunnel.connectionLimit {
          unsafe Link(connection, target).connect()
        } else {
          unsafe g_object_unref(connection)
        }
        unsafe TLSTunnel.accept(listener, target)
      }, Unmanaged.passRetained(target).toOpaque())
  }

  /// Where the connections go; what operations under way hold on to.
  @safe  // references counted by GLib: taken in init, given back in deinit
  private final class Target {
    let host: String
    let port: UInt16
    let database: UnsafeMutablePointer<GTlsDatabase>?
    let cancellable: UnsafeMutablePointer<GCancellable>
    private let onFailure: (String) -> Void
    var connectionCount = 0

    /// Takes `database` over.
    init(
      _ host: String, _ port: UInt16, _ database: UnsafeMutablePointer<GTlsDatabase>?,
      _ cancellable: UnsafeMutablePointer<GCancellable>, _ onFailure: @escaping (String) -> Void
    ) {
      self.onFailure = onFailure
      self.host = host
      self.port = port
      unsafe self.database = unsafe database
      unsafe self.cancellable = unsafe cancellable
      unsafe g_object_ref(cancellable)
    }

    /// Takes `error` over.
    func failed(_ error: UnsafeMutablePointer<GError>?) {
      guard let error = unsafe error else { return }
      if unsafe g_cancellable_is_cancelled(cancellable) == 0 {
        unsafe onFailure(String(cString: error.pointee.message))
      }
      unsafe g_error_free(error)
    }

    deinit {
      if let database = unsafe database { unsafe g_object_unref(database) }
      unsafe g_object_unref(cancellable)
    }
  }

  /// One connection: its end here, and its end at the server. The operation under way holds on to it.
  @safe  // references counted by GLib: taken over in init and when made, given back in deinit
  private final class Link {
    private let near: UnsafeMutablePointer<GIOStream>
    private var far: UnsafeMutablePointer<GIOStream>?
    private let target: Target

    init(_ near: UnsafeMutablePointer<GSocketConnection>, _ target: Target) {
      unsafe self.near = UnsafeMutableRawPointer(near).assumingMemoryBound(to: GIOStream.self)
      self.target = target
      target.connectionCount += 1
      unsafe Self.sendAtOnce(near)
    }

    deinit {
      target.connectionCount -= 1
      unsafe g_object_unref(near)
      if let far = unsafe far { unsafe g_object_unref(far) }
    }

    func connect() {
      let client = unsafe g_socket_client_new()
      unsafe g_socket_client_connect_to_host_async(
        client, target.host, target.port, target.cancellable,
        { source, result, data in
          guard let data = unsafe data, let source = unsafe source else { return }
          let link = unsafe Unmanaged<Link>.fromOpaque(data).takeRetainedValue()
          let client = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: GSocketClient.self)
          var error: UnsafeMutablePointer<GError>?
          if let connection = unsafe g_socket_client_connect_to_host_finish(client, result, &error) {
            unsafe link.handshake(connection)
          } else {
            unsafe link.target.failed(error)
          }
        }, Unmanaged.passRetained(self).toOpaque())
      unsafe g_object_unref(client)
    }

    private func handshake(_ connection: UnsafeMutablePointer<GSocketConnection>) {
      unsafe Self.sendAtOnce(connection)
      let base = unsafe UnsafeMutableRawPointer(connection).assumingMemoryBound(to: GIOStream.self)
      let identity = unsafe g_network_address_new(target.host, target.port)
      defer {
        unsafe g_object_unref(base)
        unsafe g_object_unref(UnsafeMutableRawPointer(identity))
      }
      var error: UnsafeMutablePointer<GError>?
      guard let stream = unsafe g_tls_client_connection_new(base, identity, &error) else {
        unsafe target.failed(error)  // without glib-networking there is no TLS
        return
      }
      unsafe far = unsafe stream
      let secure = unsafe UnsafeMutableRawPointer(stream).assumingMemoryBound(to: GTlsConnection.self)
      if let database = unsafe target.database {
        unsafe g_tls_connection_set_database(secure, database)
      }
      unsafe g_tls_connection_handshake_async(
        secure, G_PRIORITY_DEFAULT, target.cancellable,
        { source, result, data in
          guard let data = unsafe data, let source = unsafe source else { return }
          let link = unsafe Unmanaged<Link>.fromOpaque(data).takeRetainedValue()
          let secure = unsafe UnsafeMutableRawPointer(source).assumingMemoryBound(to: GTlsConnection.self)
          // A certificate that nobody vouches for ends here, and libnice sees its connection closed.
          var error: UnsafeMutablePointer<GError>?
          if unsafe g_tls_connection_handshake_finish(secure, result, &error) != 0 {
            link.splice()
          } else {
            unsafe link.target.failed(error)
          }
        }, Unmanaged.passRetained(self).toOpaque())
    }

    private func splice() {
      guard let far = unsafe far else { return }
      let flags = G_IO_STREAM_SPLICE_CLOSE_STREAM1.rawValue | G_IO_STREAM_SPLICE_CLOSE_STREAM2.rawValue
      unsafe g_io_stream_splice_async(
        near, far, GIOStreamSpliceFlags(flags), G_PRIORITY_DEFAULT, target.cancellable,
        { _, _, data in
          guard let data = unsafe data else { return }
          unsafe Unmanaged<Link>.fromOpaque(data).release()
        }, Unmanaged.passRetained(self).toOpaque())
    }

    /// Media does not wait for a full segment.
    private static func sendAtOnce(_ connection: UnsafeMutablePointer<GSocketConnection>) {
      let (tcp, noDelay): (Int32, Int32) = (6, 1)  // IPPROTO_TCP, TCP_NODELAY
      unsafe g_socket_set_option(g_socket_connection_get_socket(connection), tcp, noDelay, 1, nil)
    }
  }
}
