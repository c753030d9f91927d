internal import Foundation

/// One JSON-RPC 2.0 frame of a client.
struct TelnyxFrame {
  /// Requests have one; only what an assistant's tool gave may come without.
  let id: JSON?
  /// `nil`: the answer to one of ours.
  let method: String?
  let params: JSON

  /// - Throws: an answer with JSON-RPC's own codes.
  init(_ text: String) throws(TelnyxError) {
    let json: JSON
    do { json = try JSONReader.read(text) } catch { throw TelnyxError(-32_700, "Parse error: \(error)") }
    guard json.members != nil, json["jsonrpc"] == "2.0" else { throw TelnyxError(-32_600, "Invalid Request") }
    let id = json["id"]
    switch id {
    case .string?, .number?, nil: self.id = id
    default: throw TelnyxError(-32_600, "Invalid Request: id")
    }
    if json["result"] != nil || json["error"] != nil {
      guard id != nil else { throw TelnyxError(-32_600, "Invalid Request: a response without id") }
      method = nil
      params = .null
      return
    }
    guard let method = json["method"]?.string else { throw TelnyxError(-32_600, "Invalid Request: method", id: id) }
    guard id != nil || method == "ai_conversation" else { throw TelnyxError(-32_600, "Invalid Request: id is missing") }
    let params = json["params"] ?? .object([])
    guard params.members != nil else { throw TelnyxError(-32_602, "Invalid params", id: id) }
    self.method = method
    self.params = params
  }

  /// A text that must be there.
  func text(_ path: String...) throws(TelnyxError) -> String {
    var value: JSON? = params
    for key in path { value = value?[key] }
    guard let text = value?.string, !text.isEmpty else {
      throw TelnyxError(-32_602, "Invalid params: \(path.joined(separator: ".")) is missing or no text", id: id)
    }
    return text
  }

  /// The call that the frame is about, in lower case as the vendor has it.
  func callID() throws(TelnyxError) -> String {
    // The acknowledgement of ringing names it without a dialog around it.
    let id = try method == "telnyx_rtc.ringing_ack" ? text("callID") : text("dialogParams", "callID")
    guard id == id.lowercased(), UUID(uuidString: id) != nil else {
      throw TelnyxError(-32_602, "Invalid params: callID must be a UUID in lower case", id: self.id)
    }
    return id
  }

  static func request(_ method: String, _ params: JSON) -> JSON {
    ["jsonrpc": "2.0", "id": .string(UUID().uuidString.lowercased()), "method": .string(method), "params": params]
  }
}

/// An `error` in answer to a frame.
struct TelnyxError: Error {
  let code: Int
  let message: String
  var id: JSON?

  init(_ code: Int, _ message: String, id: JSON? = nil) {
    self.code = code
    self.message = message
    self.id = id
  }
}
