internal import Foundation
package import Networking

// Habla's HTTP interface: snake_case JSON both ways; errors carry `detail`.
extension HablaServer {
  package var headers: HTTPHeaders {
    var headers: HTTPHeaders = ["X-Habla-Device-ID": deviceID.uuidString.lowercased()]
    if let authorization { headers.append("Authorization", authorization) }
    return headers
  }

  /// A request to `path`, whose parts are encoded: call ids and numbers come from elsewhere.
  package func request(_ method: HTTPRequest.Method, _ path: [String], _ body: JSON? = nil) -> HTTPRequest {
    var request = HTTPRequest(method, url(path), headers: headers)
    if let body {
      request.headers.append("Content-Type", "application/json")
      request.body = Array(body.text.utf8)
    }
    return request
  }

  /// The socket of a call.
  package func socket(_ path: [String]) -> SocketRequest {
    let url = url(path)
    let address = url.lowercased().hasPrefix("http") ? "ws" + url.dropFirst(4) : url
    return SocketRequest(address, headers: headers)
  }

  private func url(_ path: [String]) -> String { path.reduce(baseURL) { $0 + "/" + Self.encode($1) } }

  private static func encode(_ part: String) -> String {
    // RFC 3986 §2.3: nothing else may stand in a path as it is.
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    // A part of dots alone would climb.
    guard part != ".", part != ".." else { return part.replacingOccurrences(of: ".", with: "%2E") }
    return part.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}

extension HablaCall {
  /// Asks for the call; the answer names it.
  package func initiation(at server: HablaServer) -> HTTPRequest {
    switch self {
    case .live(let call):
      server.request(
        .post, ["call"],
        .object(compact: [
          "to": .string(call.to), "from": call.from.map(JSON.string),
          "source_language": .string(call.languages.source.rawValue),
          "target_language": .string(call.languages.target.rawValue), "voice_gender": .string(call.voice.rawValue),
        ]))
    case .agent(let call):
      server.request(
        .post, ["agent", "call"],
        .object(compact: [
          "to": .string(call.to), "from": call.from.map(JSON.string), "prompt": .string(call.prompt),
          "user_name": .string(call.userName), "language": .string(call.language.rawValue),
          "voice_gender": .string(call.voice.rawValue),
        ]))
    }
  }

  /// Hangs up.
  package func termination(of sid: String, at server: HablaServer) -> HTTPRequest {
    server.request(.post, (isAgent ? ["agent"] : []) + ["call", sid, "end"])
  }

  /// The socket of the call.
  package func attachment(to sid: String, at server: HablaServer) -> SocketRequest {
    server.socket((isAgent ? ["agent"] : []) + ["ws", sid])
  }
}
