import Foundation
import Networking

@testable import DemoAgent

/// Plain HTTP to a demo agent.
struct RawClient {
  let client: HTTPClient
  let base: String
  var headers: HTTPHeaders = [:]

  init(_ agent: DemoAgentServer, headers: HTTPHeaders = [:], on loop: EventLoop) {
    client = HTTPClient(on: loop)
    base = "http://127.0.0.1:\(agent.port)"
    self.headers = headers
  }

  /// Status and body; `null` where it is no JSON.
  func send(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> (
    status: Int, body: JSON
  ) {
    var headers = headers
    if body != nil { headers["Content-Type"] = "application/json" }
    let response = try await client.send(
      HTTPRequest(method, base + path, headers: headers, body: body.map { Array($0.utf8) }))
    return (response.status, (try? JSONReader.read(response.body)) ?? .null)
  }
}
