internal import Networking

/// Numbers that a device may call from, once they are verified by a code that the vendor's voice asks for.
struct HablaCallerIDs {
  private struct Entry {
    let sid: String
    let number: String
    let name: String
    /// Asked for once: verified from the second time on, as if the code had been typed in between.
    var lookCount = 0
    var isVerified: Bool { lookCount > 1 }
  }

  private var entries: [Entry] = []

  mutating func answer(_ request: HTTPServerRequest, _ path: [String]) throws(RequestForm.Problem) -> HTTPServerResponse
  {
    switch (request.method, path.count) {
    case ("POST", 3) where path[1] == "verify" && path[2] == "start":
      var form = try RequestForm(request)
      let number = form.number("phone_number") ?? ""
      let name = form.optionalText("friendly_name") ?? number
      try form.check()
      entries.removeAll { $0.number == number }
      entries.append(Entry(sid: "PN\(entries.count + 1)\(number.dropFirst())", number: number, name: name))
      return .json(
        200, ["status": "pending", "validation_code": "123456", "message": "Answer the call and type the code."])
    case ("GET", 4) where path[1] == "verify" && path[2] == "status":
      guard let place = entries.firstIndex(where: { $0.number == path[3] }) else { return HablaFake.notFound }
      entries[place].lookCount += 1
      return .json(200, ["phone_number": .string(path[3]), "verified": .bool(entries[place].isVerified)])
    case ("GET", 2) where path[1] == "list":
      let verified = entries.filter(\.isVerified).map { entry -> JSON in
        ["phone_number": .string(entry.number), "friendly_name": .string(entry.name), "sid": .string(entry.sid)]
      }
      return .json(200, ["caller_ids": .array(verified)])
    case ("DELETE", 2):
      guard entries.contains(where: { $0.sid == path[1] }) else { return HablaFake.notFound }
      entries.removeAll { $0.sid == path[1] }
      return .json(200, ["status": "deleted"])
    default: return HablaFake.notFound
    }
  }
}
