/// What is asked of a server.
public struct HTTPRequest: Sendable {
  /// What is to be done with the resource.
  public enum Method: String, Sendable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Reads the headers alone.
    case head = "HEAD"
    /// Hands over.
    case post = "POST"
    /// Replaces.
    case put = "PUT"
    /// Changes a part.
    case patch = "PATCH"
    /// Removes.
    case delete = "DELETE"
    /// Asks what can be done.
    case options = "OPTIONS"
  }

  /// What to do.
  public var method: Method
  /// Of http or https, with what is not ASCII percent-encoded.
  public var url: String
  /// Beside those that HTTP itself needs. They are not sent along to another origin by a redirect.
  public var headers: HTTPHeaders
  /// The bytes to hand over.
  public var body: [UInt8]?

  /// A request.
  public init(_ method: Method = .get, _ url: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// What a server answered; any status is an answer, not an error.
public struct HTTPResponse: Sendable {
  /// 200 and so on.
  public var status: Int
  /// The server's words beside the status.
  public var reason: String
  /// In the order in which they came.
  public var headers: HTTPHeaders
  /// The whole body.
  public var body: [UInt8]

  /// An answer, as from a server or for a test.
  public init(status: Int, reason: String = "", headers: HTTPHeaders = [:], body: [UInt8] = []) {
    self.status = status
    self.reason = reason
    self.headers = headers
    self.body = body
  }

  /// 200 to 299.
  public var isSuccess: Bool { (200...299).contains(status) }
  /// The body as text; what is not UTF-8 becomes U+FFFD.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
