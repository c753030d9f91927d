public import Networking

/// A call that one HTTP request sets up: this end's offer goes out by POST, and the answer comes back (WHIP, RFC 9725).
///
/// The same exchange serves for listening (WHEP): which ends send is the descriptions' matter.
/// - Threads: any.
public struct WHIPCall: Sendable {
  /// The connection, on its way.
  public let connection: PeerConnection
  /// The call's own address at the server, which `end` deletes; `nil` when the server gave none.
  public let resource: String?
  private let client: HTTPClient
  private let token: String?

  /// Sends the connection's offer and takes the answer. All own candidates are in the offer: set `trickles` to false.
  /// - Parameters:
  ///   - url: the endpoint, http or https.
  ///   - token: sent as bearer token, where the server asks for one.
  public static func start(
    _ connection: PeerConnection, to url: String, token: String? = nil, by client: HTTPClient
  ) async throws(WHIPError) -> WHIPCall {
    let offer: String
    do { offer = try await connection.makeOffer() } catch { throw .connection(error) }
    var request = HTTPRequest(
      .post, url, headers: ["Content-Type": "application/sdp", "Accept": "application/sdp"], body: Array(offer.utf8))
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    let response: HTTPResponse
    do { response = try await client.send(request) } catch { throw .http(error) }
    guard response.status == 201 || response.status == 200 else {
      throw .refused(status: response.status, reason: String(response.text.prefix(200)))
    }
    let type = response.headers["Content-Type"]
    guard type?.lowercased().hasPrefix("application/sdp") == true else { throw .noAnswer(type: type) }
    do { try await connection.accept(answer: response.text) } catch { throw .connection(error) }
    return WHIPCall(
      connection: connection, resource: response.headers["Location"].flatMap { Self.absolute($0, from: url) },
      client: client, token: token)
  }

  /// Ends the call at both ends. A server that does not answer any more is no error.
  public func end() async {
    await connection.close()
    guard let resource else { return }
    var request = HTTPRequest(.delete, resource)
    if let token { request.headers["Authorization"] = "Bearer \(token)" }
    _ = try? await client.send(request)
  }

  /// A Location may be a whole address, or a path at the same server (RFC 9110 §10.2.2).
  static func absolute(_ location: String, from url: String) -> String? {
    if location.contains("://") { return location }
    guard let scheme = url.range(of: "://") else { return nil }
    let rest = url[scheme.upperBound...]
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    if location.hasPrefix("/") { return url[..<scheme.upperBound] + host + location }
    let path = rest.dropFirst(host.count).prefix { $0 != "?" && $0 != "#" }
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
    return url[..<scheme.upperBound] + host + folder + location
  }
}
