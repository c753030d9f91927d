internal import CGLib
internal import CSoup

/// Why a server does not listen.
public enum HTTPServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The address or port cannot be had; the system's words follow.
  case cannotListen(String, reason: String)
  /// The certificate or key cannot be read.
  case certificateFile(String, reason: String)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .cannotListen(let place, let reason): "cannot listen at \(place): \(reason); give port 0 for a free one"
    case .certificateFile(let file, let reason): "\(file) cannot be used: \(reason); give PEM files"
    }
  }
}

/// An HTTP server with WebSockets, over http or https.
///
/// ```swift
/// let server = try await HTTPServer.start(on: loop, port: 8080) { request in
///   guard request.wantsWebSocket else { return .answer(404) }
///   return .webSocket { socket in
///     while let message = await socket.next() { try? await socket.send(message) }
///   }
/// }
/// ```
/// The handler runs as a task of its own for each request, which is cancelled when the client goes.
/// - Threads: any.
public actor HTTPServer {
  /// Answers a request.
  public typealias Handler = @Sendable (HTTPServerRequest) async -> HTTPServerResponse

  /// Where a server listens.
  public enum Address: Sendable, Equatable {
    /// This machine only.
    case loopback
    /// All of this machine's addresses.
    case any
    /// One of this machine's, in numbers.
    case numeric(String)
  }

  /// Limits.
  public struct Settings: Sendable {
    /// The largest request body; a larger one is answered with 413. Bytes.
    public var maximumBodyBytes = 1 << 20
    /// A connection ends when nothing moves for so long, between requests too; whole seconds.
    public var idleSeconds = 60
    /// From a request's first byte to its last; seconds.
    public var requestTimeout = 30.0
    /// Requests whose handlers run at the same time, open WebSockets included; beyond, 503 is answered.
    public var maximumRequests = 1_024

    /// The defaults.
    public init() {}
  }

  /// The loop whose thread serves the connections.
  public nonisolated let loop: EventLoop
  /// On that thread; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// The limits.
  public nonisolated let settings: Settings
  private let handler: Handler
  private var soup: GObjectRef?
  private var exchanges: [ObjectIdentifier: HTTPServerExchange] = [:]
  /// Where it listens; 0 before and after.
  public private(set) var port: UInt16 = 0

  private init(on loop: EventLoop, settings: Settings, handler: @escaping Handler) {
    self.loop = loop
    self.settings = settings
    self.handler = handler
  }

  deinit {
    guard let soup else { return }
    loop.perform { unsafe soup_server_disconnect(soup.to(SoupServer.self)) }
  }

  /// Starts to listen.
  /// - Parameters:
  ///   - port: 0 takes a free one; see `port`.
  ///   - identity: makes it a server of https and wss.
  public static func start(
    on loop: EventLoop, at address: Address = .loopback, port: UInt16 = 0, identity: TLSIdentity? = nil,
    settings: Settings = Settings(), handler: @escaping Handler
  ) async throws(HTTPServerError) -> HTTPServer {
    let server = HTTPServer(on: loop, settings: settings, handler: handler)
    try await server.listen(at: address, port: port, identity: identity)
    return server
  }

  /// Stops listening, ends all requests and closes all WebSockets with 1001; returns when their handlers have.
  public func stop() async {
    port = 0
    if let soup {
      self.soup = nil
      for exchange in exchanges.values { await exchange.stop() }
      unsafe soup_server_disconnect(soup.to(SoupServer.self))
    }
    while let exchange = exchanges.values.first { await exchange.finished() }
  }

  private func listen(at address: Address, port: UInt16, identity: TLSIdentity?) throws(HTTPServerError) {
    var error: UnsafeMutablePointer<GError>?
    var certificate: GObjectRef?
    if let identity {
      guard
        let read = unsafe g_tls_certificate_new_from_files(identity.certificateFile, identity.keyFile, &error)
      else { throw .certificateFile(identity.certificateFile, reason: Self.words(&error)) }
      unsafe certificate = GObjectRef(adopting: UnsafeMutableRawPointer(read), on: loop)
    }
    let made = unsafe antiphon_server_new(certificate?.to(GTlsCertificate.self))
    let soup = unsafe GObjectRef(adopting: UnsafeMutableRawPointer(made), on: loop)

    let options = SoupServerListenOptions(rawValue: identity == nil ? 0 : SOUP_SERVER_LISTEN_HTTPS.rawValue)
    let isListening: Bool
    switch address {
    case .loopback: isListening = unsafe soup_server_listen_local(made, guint(port), options, &error) != 0
    case .any: isListening = unsafe soup_server_listen_all(made, guint(port), options, &error) != 0
    case .numeric(let text):
      guard let place = unsafe g_inet_socket_address_new_from_string(text, guint(port)) else {
        throw .cannotListen(text, reason: "it is not an address in numbers")
      }
      isListening = unsafe soup_server_listen(made, place, options, &error) != 0
      unsafe g_object_unref(place)
    }
    guard isListening else { throw .cannotListen("\(address):\(port)", reason: Self.words(&error)) }

    // libsoup gives the box back when it frees the server.
    let box = unsafe Unmanaged.passRetained(Box(self)).toOpaque()
    unsafe soup_server_add_handler(
      made, nil, { _, message, _, _, box in HTTPServer.at(box) { unsafe $0.requested(message!) } }, box,
      { box in
        guard let box = unsafe box else { return }
        unsafe Unmanaged<Box>.fromOpaque(box).release()
      })
    unsafe antiphon_on_request_started(
      made, { _, message, box in HTTPServer.at(box) { unsafe $0.began(message) } }, box)

    let uris = unsafe soup_server_get_uris(made)
    if let first = unsafe uris?.pointee.data {
      self.port = UInt16(clamping: unsafe g_uri_get_port(OpaquePointer(first)))
    }
    unsafe g_slist_free_full(uris) { uri in unsafe g_uri_unref(OpaquePointer(uri)) }
    self.soup = soup
  }

  @safe private static func words(_ error: inout UnsafeMutablePointer<GError>?) -> String {
    defer { unsafe g_clear_error(&error) }
    return unsafe error.map { unsafe String(cString: $0.pointee.message) } ?? "no reason given"
  }

  private final class Box {
    weak var server: HTTPServer?
    init(_ server: HTTPServer) { self.server = server }
  }

  @safe private nonisolated static func at(_ box: UnsafeMutableRawPointer?, _ body: (HTTPServer) -> Void) {
    guard let box = unsafe box else { return }
    if let server = unsafe Unmanaged<Box>.fromOpaque(box).takeUnretainedValue().server { body(server) }
  }

  private nonisolated func began(_ message: OpaquePointer) {
    let reference = unsafe GObjectRef(adopting: g_object_ref(UnsafeMutableRawPointer(message)), on: loop)
    assumeIsolated { server in
      HTTPServerIntake.watch(reference, on: server.loop, settings: server.settings)
    }
  }

  private nonisolated func requested(_ message: OpaquePointer) {
    let reference = unsafe GObjectRef(adopting: g_object_ref(UnsafeMutableRawPointer(message)), on: loop)
    assumeIsolated { server in
      guard server.exchanges.count < server.settings.maximumRequests else {
        unsafe soup_server_message_set_status(reference.opaque, 503, nil)
        return
      }
      let exchange = HTTPServerExchange(reference, on: server.loop, handler: server.handler)
      let id = ObjectIdentifier(exchange)
      server.exchanges[id] = exchange
      exchange.assumeIsolated { $0.start { [weak server] in server?.assumeIsolated { $0.exchanges[id] = nil } } }
    }
  }
}
