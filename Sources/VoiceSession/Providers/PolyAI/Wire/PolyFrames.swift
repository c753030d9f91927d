internal import Networking

/// The frames that this end sends, one in a text message.
///
/// - Source: the vendor's open client for iOS.
enum PolyFrames {
  // MARK: the gateway

  /// The session's number is not known yet, which the gateway wants to be told.
  static func offer(_ sdp: String, token: String, call: String) -> JSON {
    [
      "type": "offer", "data": ["type": "offer", "sdp": .string(sdp)], "mode": "end-to-end",
      "authToken": .string(token),
      "callSid": .string(call), "caller": "Polyphone", "callee": "Polyphone", "sessionId": .null,
    ]
  }

  static func candidate(_ line: String, mid: String?, session: String) -> JSON {
    [
      "type": "ice-candidate", "sessionId": .string(session),
      "data": [
        "candidate": .string(line), "sdpMid": mid.map { .string($0) } ?? .null,
        "sdpMLineIndex": mid == nil ? .null : 0,
      ],
    ]
  }

  static func close(session: String?) -> JSON {
    ["type": "close", "sessionId": session.map { .string($0) } ?? .null]
  }

  // MARK: the messaging socket

  static func event(_ name: String, _ payload: JSON = [:]) -> JSON {
    ["type": .string("EVENT_TYPE_" + name), "payload": payload]
  }

  static func link(call: String) -> JSON { event("LINK_TO_WEBRTC_CONVERSATION", ["call_sid": .string(call)]) }
}
