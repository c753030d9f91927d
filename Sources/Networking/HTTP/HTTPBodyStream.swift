/// The body of an answer, piece by piece as it comes: nothing is read before it is asked for, so a slow reader slows the
/// server down. One consumer; letting go of it ends the request.
public struct HTTPBodyStream: AsyncSequence, Sendable {
  private let reader: Reader

  init(_ exchange: HTTPExchange) { reader = Reader(exchange) }

  /// Reads from where the body stands.
  public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }

  /// Takes one piece at a time.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let reader: Reader

    /// The next piece, at most 16 KiB; `nil` at the end. Cancelling the task ends the request.
    public mutating func next() async throws(HTTPError) -> [UInt8]? { try await reader.exchange.read() }

    /// The same.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(HTTPError) -> [UInt8]? {
      try await reader.exchange.read()
    }
  }

  fileprivate final class Reader: Sendable {
    let exchange: HTTPExchange
    init(_ exchange: HTTPExchange) { self.exchange = exchange }
    deinit { exchange.cancel() }
  }
}
