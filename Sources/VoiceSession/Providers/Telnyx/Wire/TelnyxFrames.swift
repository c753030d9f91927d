internal import Networking

/// The frames that this end sends: JSON-RPC 2.0, one in a text message.
///
/// - Source: the provider's open client for iOS.
struct TelnyxFrames: Sendable {
  let configuration: TelnyxConfiguration
  private var userAgent: JSON { .string("\(configuration.clientName)-\(configuration.clientVersion)") }

  init(_ configuration: TelnyxConfiguration) { self.configuration = configuration }

  static func request(_ method: String, id: String, _ params: JSON) -> JSON {
    ["jsonrpc": "2.0", "id": .string(id), "method": .string(method), "params": params]
  }

  func login(id: String, session: String, isReconnection: Bool) -> JSON {
    let variables = configuration.userVariables.mapValues { JSON.string($0) }
    return Self.request(
      "anonymous_login", id: id,
      .object(compact: [
        "target_type": "ai_assistant", "target_id": .string(configuration.assistantID),
        "target_version_id": configuration.assistantVersionID.map { .string($0) },
        "userVariables": variables.isEmpty ? nil : .object(variables),
        "reconnection": .bool(isReconnection), "sessid": .string(session),
        "User-Agent": ["sdkVersion": .string(configuration.clientVersion), "data": userAgent],
      ]))
  }

  func gatewayState(id: String) -> JSON { Self.request("telnyx_rtc.gatewayState", id: id, [:]) }

  func ping(id: String) -> JSON { Self.request("telnyx_rtc.ping", id: id, [:]) }

  func invite(id: String, session: String, call: TelnyxCall, sdp: String) -> JSON {
    Self.request(
      "telnyx_rtc.invite", id: id,
      .object(compact: [
        "User-Agent": userAgent, "sessionId": .string(session), "sdp": .string(sdp),
        "trickle": configuration.usesTrickleICE ? true : nil, "dialogParams": dialog(of: call, attaches: false),
      ]))
  }

  /// Takes the call up again on a new connection: the answer to the server's offer.
  func attach(id: String, session: String, call: TelnyxCall, sdp: String) -> JSON {
    Self.request(
      "telnyx_rtc.attach", id: id,
      .object(compact: [
        "User-Agent": userAgent, "sessionId": .string(session), "sdp": .string(sdp),
        "trickle": configuration.usesTrickleICE ? true : nil, "dialogParams": dialog(of: call, attaches: true),
      ]))
  }

  func bye(id: String, session: String, call: TelnyxCall, _ cause: TelnyxCause) -> JSON {
    Self.request(
      "telnyx_rtc.bye", id: id,
      [
        "sessId": .string(session), "causeCode": .number(Double(cause.rawValue)), "cause": .string(cause.name),
        "dialogParams": ["callID": .string(call.id)],
      ])
  }

  /// - Parameter action: "hold", "unhold" or "updateMedia", the last with an offer.
  func modify(id: String, session: String, call: TelnyxCall, action: String, sdp: String? = nil) -> JSON {
    Self.request(
      "telnyx_rtc.modify", id: id,
      .object(compact: [
        "sessionId": .string(session), "action": .string(action), "sdp": sdp.map { .string($0) },
        "dialogParams": ["callID": .string(call.id)],
      ]))
  }

  func keys(_ digits: String, id: String, session: String, call: TelnyxCall) -> JSON {
    Self.request(
      "telnyx_rtc.info", id: id,
      ["sessid": .string(session), "dtmf": .string(digits), "dialogParams": dialog(of: call, attaches: false)])
  }

  func candidate(_ line: String, mid: String?, id: String, call: TelnyxCall) -> JSON {
    Self.request(
      "telnyx_rtc.candidate", id: id,
      [
        "candidate": .string(line), "sdpMid": .string(mid ?? "0"), "sdpMLineIndex": 0,
        "dialogParams": ["callID": .string(call.id)],
      ])
  }

  func endOfCandidates(id: String, call: TelnyxCall) -> JSON {
    Self.request(
      "telnyx_rtc.endOfCandidates", id: id,
      ["endOfCandidates": true, "dialogParams": ["callID": .string(call.id)]])
  }

  /// What the user writes or shows.
  static func message(id: String, item: String, text: String, images: [TelnyxImage]) -> JSON {
    var content: [JSON] = text.isEmpty ? [] : [["type": "input_text", "text": .string(text)]]
    content += images.map { ["type": "image_url", "image_url": ["url": .string($0.url)]] }
    return request(
      "ai_conversation", id: id,
      [
        "type": "conversation.item.create",
        "item": ["id": .string(item), "type": "message", "role": "user", "content": .array(content)],
      ])
  }

  /// The app's answer to a function call; it goes without an id.
  static func toolResult(call: String, output: String) -> JSON {
    [
      "jsonrpc": "2.0", "method": "ai_conversation",
      "params": [
        "type": "conversation.item.create",
        "item": ["type": "function_call_output", "call_id": .string(call), "output": .string(output)],
      ],
    ]
  }

  private func dialog(of call: TelnyxCall, attaches: Bool) -> JSON {
    let caller = call.parameters
    let headers = caller.customHeaders.sorted { $0.key < $1.key }
    let variables = caller.userVariables.mapValues { JSON.string($0) }
    return .object(compact: [
      "callID": .string(call.id), "destination_number": .string(caller.destinationNumber),
      "remote_caller_id_name": "Outbound Call", "caller_id_name": .string(caller.callerName),
      "caller_id_number": .string(caller.callerNumber), "audio": true, "video": false, "useStereo": false,
      "attach": .bool(attaches), "screenShare": false,
      "custom_headers": .array(headers.map { ["name": .string($0.key), "value": .string($0.value)] }),
      "clientState": caller.clientState.map { .string($0) },
      "userVariables": variables.isEmpty ? nil : .object(variables),
      "preferred_codecs": caller.preferredCodecs.isEmpty
        ? nil : .array(caller.preferredCodecs.map(\.json)),
    ])
  }
}

/// A picture that the user shows the assistant.
package struct TelnyxImage: Sendable, Hashable {
  /// In base64.
  package var base64Data: String
  /// Such as "image/jpeg".
  package var mediaType: String

  package init(base64Data: String, mediaType: String = "image/jpeg") {
    self.base64Data = base64Data
    self.mediaType = mediaType
  }

  var url: String { "data:\(mediaType);base64,\(base64Data)" }
}

extension TelnyxCallParameters.Codec {
  fileprivate var json: JSON {
    .object(compact: [
      "mimeType": .string(mimeType), "clockRate": .number(Double(clockRate)),
      "channels": channelCount.map { .number(Double($0)) }, "sdpFmtpLine": formatParameters.map { .string($0) },
    ])
  }
}
