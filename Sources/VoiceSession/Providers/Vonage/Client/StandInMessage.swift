internal import Networking

// Our own stand-in for the wire between the vendor's client SDK and its platform, which is not published. It makes no
// claim to match the vendor's traffic: its names follow the SDK's public events, one to one, and that is all.
//
// One WebSocket, JSON in texts, `type` in each; those of a call carry its `id`.
//
//   to the back end                       from it
//   session.create {token, id?}           session.created {id}, session.error {reason}
//   session.refresh {token}               session.refreshed
//   session.delete                        session.deleted
//   ping                                  pong
//   call.create {custom}                  call.created {id}
//   call.offer {sdp}                      call.answer {sdp}
//   call.candidate {candidate, sdpMid, sdpMLineIndex}, both ways; an empty candidate is the last
//   call.mute {on}, call.earmuff {on}, call.dtmf {digits}        the same with the leg, both ways
//   call.say {text}, call.reconnect, call.reject, call.hangup
//                                         call.leg {leg, status}, call.hangup {reason, quality},
//                                         call.invite {from, channel}, call.cancel {reason}, call.transfer {to}

/// What a back end of the stand-in says.
package enum StandInMessage: Sendable, Hashable {
  case sessionCreated(id: String)
  case sessionRefreshed
  case sessionDeleted
  case sessionError(VoiceSessionErrorReason)
  case pong
  case callCreated(id: String)
  case invite(id: String, from: String, VoiceChannelType)
  case call(id: String, StandInCallMessage)

  /// `nil` for what makes no sense.
  package init?(_ text: String) {
    guard let json = try? JSON(parsing: text), let type = json["type"].string else { return nil }
    switch type {
    case "pong": self = .pong
    case "session.refreshed": self = .sessionRefreshed
    case "session.deleted": self = .sessionDeleted
    case "session.error":
      self = .sessionError(json["reason"].string.flatMap { VoiceSessionErrorReason(rawValue: $0) } ?? .unknown)
    default:
      guard let id = json["id"].string, !id.isEmpty else { return nil }
      switch type {
      case "session.created": self = .sessionCreated(id: id)
      case "call.created": self = .callCreated(id: id)
      case "call.invite":
        self = .invite(
          id: id, from: json["from"].string ?? "",
          json["channel"].string.flatMap { VoiceChannelType(rawValue: $0) } ?? .unknown)
      default:
        guard let message = StandInCallMessage(type, json) else { return nil }
        self = .call(id: id, message)
      }
    }
  }
}

/// What it says of a call.
package enum StandInCallMessage: Sendable, Hashable {
  case answer(sdp: String)
  /// Empty: there are no more.
  case candidate(String)
  case leg(String, VoiceLegStatus)
  case cancel(VoiceInviteCancelReason)
  case mute(leg: String, isOn: Bool)
  case earmuff(leg: String, isOn: Bool)
  case dtmf(leg: String, digits: String)
  case transfer(conversationID: String)
  case hangup(VoiceHangupReason, score: Double?)

  init?(_ type: String, _ json: JSON) {
    let leg = json["leg"].string ?? ""
    switch type {
    case "call.answer":
      guard let sdp = json["sdp"].string else { return nil }
      self = .answer(sdp: sdp)
    case "call.candidate":
      guard let candidate = json["candidate"].string else { return nil }
      self = .candidate(candidate)
    case "call.leg":
      guard let status = json["status"].string.flatMap({ VoiceLegStatus(rawValue: $0) }) else { return nil }
      self = .leg(leg, status)
    case "call.cancel":
      self = .cancel(json["reason"].string.flatMap { VoiceInviteCancelReason(rawValue: $0) } ?? .unknown)
    case "call.mute", "call.earmuff":
      guard let isOn = json["on"].bool else { return nil }
      self = type == "call.mute" ? .mute(leg: leg, isOn: isOn) : .earmuff(leg: leg, isOn: isOn)
    case "call.dtmf":
      guard let digits = json["digits"].string else { return nil }
      self = .dtmf(leg: leg, digits: digits)
    case "call.transfer":
      guard let conversation = json["to"].string else { return nil }
      self = .transfer(conversationID: conversation)
    case "call.hangup":
      self = .hangup(
        json["reason"].string.flatMap { VoiceHangupReason(rawValue: $0) } ?? .unknown,
        score: json["quality"]["mos"].number)
    default: return nil
    }
  }
}

/// What a client of the stand-in says.
package enum StandInRequest: Sendable, Hashable {
  case sessionCreate(token: String, id: String?)
  case sessionRefresh(token: String)
  case sessionDelete
  case ping
  case callCreate([String: String])
  case call(id: String, Call)

  /// What it says of a call.
  package enum Call: Sendable, Hashable {
    case offer(String)
    case candidate(String, mid: String?)
    case mute(Bool)
    case earmuff(Bool)
    case dtmf(String)
    case say(String)
    case reconnect
    case reject
    case hangup
  }

  /// Whether it serves the sound's way, and is kept while the session is found anew; what the user wants fails instead.
  var isOfMedia: Bool {
    switch self {
    case .call(_, .offer), .call(_, .candidate): true
    default: false
    }
  }

  package var text: String {
    let json: JSON =
      switch self {
      case .sessionCreate(let token, let id):
        .object(compact: ["type": "session.create", "token": .string(token), "id": id.map(JSON.string)])
      case .sessionRefresh(let token): ["type": "session.refresh", "token": .string(token)]
      case .sessionDelete: ["type": "session.delete"]
      case .ping: ["type": "ping"]
      case .callCreate(let custom): ["type": "call.create", "custom": .object(custom.mapValues(JSON.string))]
      case .call(let id, let call): .object(call.members.merging(["id": .string(id)]) { $1 })
      }
    return json.text
  }
}

extension StandInRequest.Call {
  var members: [String: JSON] {
    switch self {
    case .offer(let sdp): ["type": "call.offer", "sdp": .string(sdp)]
    case .candidate(let line, let mid):
      [
        "type": "call.candidate", "candidate": .string(line), "sdpMid": .string(mid ?? "0"), "sdpMLineIndex": 0,
      ]
    case .mute(let isOn): ["type": "call.mute", "on": .bool(isOn)]
    case .earmuff(let isOn): ["type": "call.earmuff", "on": .bool(isOn)]
    case .dtmf(let digits): ["type": "call.dtmf", "digits": .string(digits)]
    case .say(let text): ["type": "call.say", "text": .string(text)]
    case .reconnect: ["type": "call.reconnect"]
    case .reject: ["type": "call.reject"]
    case .hangup: ["type": "call.hangup"]
    }
  }
}
