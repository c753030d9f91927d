/// Asks HTTP servers, over http or https, HTTP/1.1 or 2. Connections are kept for the next request.
///
/// ```swift
/// let client = HTTPClient(on: loop)
/// let answer = try await client.send(HTTPRequest(.post, url, headers: ["Content-Type": "application/json"], body: bytes))
/// ```
/// Cancelling the task ends its request at once. A status of any kind is an answer; an error means that there is none.
/// - Threads: any.
public actor HTTPClient {
  /// The loop whose thread serves the connections.
  public nonisolated let loop: EventLoop
  /// On that thread; Swift asks.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }
  /// Hold for all requests.
  public nonisolated let settings: Settings
  private var session: SoupSessionOwner?

  /// A client without any connection yet.
  public init(on loop: EventLoop, settings: Settings = Settings()) {
    self.loop = loop
    self.settings = settings
  }

  /// Sends a request and reads the whole answer.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let exchange = try exchange(for: request)
    let head = try await exchange.open(isBounded: true)
    let limit = settings.maximumBodyBytes
    var body: [UInt8] = []
    while let piece = try await exchange.read() {
      guard body.count + piece.count <= limit else {
        await exchange.end(.bodyTooLarge(limit: limit))
        throw .bodyTooLarge(limit: limit)
      }
      body += piece
    }
    return HTTPResponse(status: head.status, reason: head.reason, headers: head.headers, body: body)
  }

  /// Sends a request and returns as soon as the answer's head is there; its body comes piece by piece, with no limit to
  /// its size or whole time, for what a server sends while things happen.
  public func stream(
    _ request: HTTPRequest
  ) async throws(HTTPError) -> (status: Int, headers: HTTPHeaders, body: HTTPBodyStream) {
    let exchange = try exchange(for: request)
    let head = try await exchange.open(isBounded: false)
    return (head.status, head.headers, HTTPBodyStream(exchange))
  }

  private func exchange(for request: HTTPRequest) throws(HTTPError) -> HTTPExchange {
    let address = try WebAddress(request.url, schemes: ["http", "https"])
    let session =
      if let session { session } else {
        try SoupSessionOwner(on: loop, trust: settings.trust, userAgent: settings.userAgent)
      }
    self.session = session
    return HTTPExchange(request, to: address, by: session, on: loop, settings: settings)
  }
}
