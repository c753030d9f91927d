internal import Networking

// Calls by REST.
extension HablaFake {
  func beginCall(_ request: HTTPServerRequest) throws(RequestForm.Problem) -> HTTPServerResponse {
    var form = try RequestForm(request)
    _ = form.number("to")
    _ = form.number("from", isOptional: true)
    let source = form.text("source_language")
    let target = form.text("target_language")
    _ = form.choice("voice_gender", ["female", "male"])
    try form.check()
    for language in [source, target] { try Self.check(language) }
    if source.prefix(2) == target.prefix(2) {
      throw .init(response: .json(422, ["detail": "Source and target language must differ"]))
    }
    let sid = newSID()
    liveCalls[sid] = "initiating"
    return .json(200, ["call_sid": .string(sid), "status": "initiating"])
  }

  private static func check(_ language: String) throws(RequestForm.Problem) {
    if !(HablaSettings.languages + HablaSettings.aliases).contains(language) {
      throw .init(response: .json(422, ["detail": .string("Unsupported language: \(language)")]))
    }
  }

  func endCall(_ sid: String) -> HTTPServerResponse {
    guard liveCalls[sid] != nil else { return .json(404, ["detail": "Call not found"]) }
    liveCalls[sid] = "completed"
    return .json(200, ["call_sid": .string(sid), "status": "completed"])
  }

  func status(_ sid: String) -> HTTPServerResponse {
    guard let status = liveCalls[sid] else { return .json(404, ["detail": "Call not found"]) }
    return .json(200, ["call_sid": .string(sid), "status": .string(status)])
  }

  func beginAgentCall(_ request: HTTPServerRequest) throws(RequestForm.Problem) -> HTTPServerResponse {
    var form = try RequestForm(request)
    _ = form.number("to")
    _ = form.number("from", isOptional: true)
    let prompt = form.text("prompt")
    let userName = form.text("user_name")
    let language = form.text("language")
    _ = form.choice("voice_gender", ["female", "male"])
    try form.check()
    try Self.check(language)
    let sid = newSID()
    agentCalls[sid] = HablaAgentCall(sid, prompt: prompt, userName: userName, language: language, settings, context)
    return .json(200, ["call_sid": .string(sid), "status": "initiating"])
  }

  func endAgentCall(_ sid: String) -> HTTPServerResponse {
    guard let call = agentCalls[sid] else { return .json(404, ["detail": "Call not found"]) }
    call.end("ended")
    return .json(200, ["status": "ended"])
  }
}
