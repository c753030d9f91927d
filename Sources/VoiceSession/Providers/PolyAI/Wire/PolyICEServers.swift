internal import Networking

/// The gateway's list of servers that help to find a path. Whatever is wrong with it, the call goes on.
enum PolyICEServers {
  /// Where the gateway gives none.
  static var fallback: [ICEServer] { [.stun("stun.l.google.com", port: 19_302)] }

  /// More than eight relays are not asked.
  private static let relayLimit = 8

  static func reading(_ result: Result<HTTPResponse, SessionError>) -> [ICEServer] {
    guard case .success(let response) = result, response.isSuccess else { return fallback }
    var servers: [ICEServer] = []
    for entry in response.json["iceServers"].array ?? [] {
      let urls = entry["urls"].string.map { [$0] } ?? (entry["urls"].array ?? []).compactMap(\.string)
      servers += urls.compactMap {
        ICEServer($0, username: entry["username"].string, password: entry["credential"].string)
      }
    }
    var relays = 0
    servers = servers.filter { server in
      if case .stun = server.service { return true }
      relays += 1
      return relays <= relayLimit
    }
    return servers.isEmpty ? fallback : servers
  }
}
