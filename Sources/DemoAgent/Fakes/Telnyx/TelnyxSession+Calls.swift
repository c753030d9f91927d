internal import Networking
internal import RealtimeCore

// Calls, and what is said in them.
extension TelnyxSession {
  func invite(_ frame: TelnyxFrame) async throws(TelnyxError) {
    let id = try frame.callID()
    let sdp = try frame.text("sdp")
    for key in ["caller_id_name", "caller_id_number", "destination_number"] { _ = try frame.text("dialogParams", key) }
    guard frame.params["dialogParams"]?["audio"] == true else {
      throw TelnyxError(-32_602, "Invalid params: dialogParams.audio", id: frame.id)
    }
    for header in frame.params["dialogParams"]?["custom_headers"]?.array ?? [] {
      guard header["name"]?.string?.hasPrefix("X-") == true, header["value"]?.string != nil else {
        throw TelnyxError(-32_602, "Invalid params: custom_headers", id: frame.id)
      }
    }
    guard calls[id] == nil else { throw TelnyxError(-32_602, "CALL ALREADY EXISTS", id: frame.id) }
    guard settings.codecs.contains(where: { sdp.lowercased().contains(" \($0.lowercased())/") }) else {
      throw TelnyxError(-32_002, "INCOMPATIBLE_DESTINATION", id: frame.id)
    }
    let call: TelnyxCall
    do { call = try TelnyxCall(id, trickles: frame.params["trickle"]?.bool ?? false, self) } catch {
      throw TelnyxError(-32_603, "Internal error: \(error)", id: frame.id)
    }
    calls[id] = call
    context.log.tell(.began, "call \(id)", call: call.number)
    answer(frame, ["message": "CALL CREATED", "callID": .string(id), "sessid": .string(self.id)])
    let identity: JSON = [
      "callID": .string(id), "telnyx_session_id": .string(call.sessionID), "telnyx_leg_id": .string(call.legID),
    ]
    request("telnyx_rtc.ringing", identity)
    let description: String
    do { description = try await call.accept(offer: sdp) } catch {
      await end(id, TelnyxCause(name: "INCOMPATIBLE_DESTINATION", code: 88))
      return
    }
    if settings.sendsEarlyMedia { request("telnyx_rtc.media", identity.with("sdp", .string(description))) }
    call.timer = after(settings.ringSeconds) { session in
      let answer = identity.with("telnyx_call_control_id", .string("v3:" + call.legID))
      session.request(
        "telnyx_rtc.answer", session.settings.sendsEarlyMedia ? answer : answer.with("sdp", .string(description)))
      call.answered()
    }
  }

  func modify(_ frame: TelnyxFrame, _ call: TelnyxCall) async throws(TelnyxError) {
    let action = try frame.text("action")
    switch action {
    case "hold", "unhold", "toggleHold":
      call.isHeld = action == "hold" || (action == "toggleHold" && !call.isHeld)
      call.peer.earmuff(call.isHeld)
      answer(
        frame,
        [
          "action": .string(action), "callID": .string(call.id), "holdState": call.isHeld ? "held" : "active",
          "sessid": .string(id),
        ])
    case "updateMedia":
      let sdp = try frame.text("sdp")
      do {
        let description = try await call.accept(offer: sdp)
        answer(frame, ["action": "updateMedia", "callID": .string(call.id), "sdp": .string(description)])
      } catch { throw TelnyxError(-32_602, "Invalid params: sdp: \(error)", id: frame.id) }
    default: throw TelnyxError(-32_602, "Invalid params: action", id: frame.id)
    }
  }

  /// What the client types, shows, or its tools give.
  func takeConversation(_ frame: TelnyxFrame) throws(TelnyxError) {
    guard try frame.text("type") == "conversation.item.create", let item = frame.params["item"] else {
      throw TelnyxError(-32_602, "Invalid params: type", id: frame.id)
    }
    guard let call = calls.values.first else { throw TelnyxError(-32_002, "CALL DOES NOT EXIST", id: frame.id) }
    if item["type"] == "function_call_output" {
      let tool = try frame.text("item", "call_id")
      guard let output = item["output"]?.string else {
        throw TelnyxError(-32_602, "Invalid params: item.output", id: frame.id)
      }
      context.log.tell(.toolResult, output, call: call.number)
      return call.conversation.toolAnswered(id: tool, output, isError: false)
    }
    guard item["type"] == "message", item["role"] == "user", frame.id != nil else {
      throw TelnyxError(-32_602, "Invalid params: item", id: frame.id)
    }
    let itemID = try frame.text("item", "id")
    guard let parts = item["content"]?.array, !parts.isEmpty else {
      throw TelnyxError(-32_602, "Invalid params: item.content", id: frame.id)
    }
    var words: [String] = []
    var copies: [JSON] = []
    for part in parts {
      if part["type"] == "input_text", let text = part["text"]?.string {
        words.append(text)
        copies.append(["type": "text", "text": .string(text)])
      } else if part["type"] == "image_url", let url = part["image_url"]?["url"]?.string,
        url.hasPrefix("data:image/")
      {
        copies.append(part)
      } else {
        throw TelnyxError(-32_602, "Invalid params: item.content", id: frame.id)
      }
    }
    let text = words.joined(separator: " ")
    context.log.tell(.heard, text, call: call.number)
    call.tellUser(id: itemID, content: .array(copies))
    call.conversation.read(text)
  }
}
