internal import Foundation
internal import Networking

/// A verified number of this device.
public struct HablaCallerID: Sendable, Hashable, Codable {
  /// In E.164 form.
  public var phoneNumber: String
  /// The user's name for it.
  public var friendlyName: String?
  /// The back end's name for it.
  public var sid: String

  /// A number.
  public init(phoneNumber: String, friendlyName: String? = nil, sid: String) {
    self.phoneNumber = phoneNumber
    self.friendlyName = friendlyName
    self.sid = sid
  }
}

/// How far the verification of a number is.
public struct HablaVerification: Sendable, Hashable {
  /// The number.
  public var phoneNumber: String
  /// The back end's word for it.
  public var status: String
  /// What the user is to enter when the back end calls.
  public var validationCode: String?
  /// The back end's words for the user.
  public var message: String?
  /// Whether the number can be used.
  public var isVerified: Bool

  /// A verification that has just begun.
  public init(
    phoneNumber: String, status: String = "pending", validationCode: String? = nil, message: String? = nil,
    isVerified: Bool = false
  ) {
    self.phoneNumber = phoneNumber
    self.status = status
    self.validationCode = validationCode
    self.message = message
    self.isVerified = isVerified
  }
}

/// What a back end knows beside calls: caller ids and languages, and how earlier calls ended.
/// - Threads: any.
public struct HablaAccount: Sendable {
  private let server: HablaServer
  private let client: HTTPClient
  private let allowsUnencrypted: Bool

  /// The account of the server's device.
  public init(_ server: HablaServer, environment: SessionEnvironment) {
    self.server = server
    client = HTTPClient(on: environment.loop, settings: environment.http)
    allowsUnencrypted = environment.allowsUnencrypted
  }

  /// Begins to verify a number: the back end calls it and asks for a code.
  public func verify(_ phoneNumber: String, name: String? = nil) async throws(SessionError) -> HablaVerification {
    let json = try await ask(
      server.request(
        .post, ["caller-id", "verify", "start"],
        .object(compact: ["phone_number": .string(phoneNumber), "friendly_name": name.map(JSON.string)])))
    return HablaVerification(
      phoneNumber: phoneNumber, status: json["status"].string ?? "pending",
      validationCode: json["validation_code"].string, message: json["message"].string,
      isVerified: json["verified"].bool ?? false)
  }

  /// Asks how far the verification of a number is.
  public func verification(of phoneNumber: String) async throws(SessionError) -> HablaVerification {
    let json = try await ask(server.request(.get, ["caller-id", "verify", "status", phoneNumber]))
    let isVerified = json["verified"].bool ?? false
    return HablaVerification(
      phoneNumber: phoneNumber, status: json["status"].string ?? (isVerified ? "verified" : "pending"),
      message: json["message"].string, isVerified: isVerified)
  }

  /// The verified numbers.
  public func callerIDs() async throws(SessionError) -> [HablaCallerID] {
    let json = try await ask(server.request(.get, ["caller-id", "list"]))
    return (json["caller_ids"].array ?? []).compactMap { entry in
      guard let number = entry["phone_number"].string, let sid = entry["sid"].string else { return nil }
      return HablaCallerID(phoneNumber: number, friendlyName: entry["friendly_name"].string, sid: sid)
    }
  }

  /// Gives a number back.
  public func delete(callerID sid: String) async throws(SessionError) {
    _ = try await ask(server.request(.delete, ["caller-id", sid]))
  }

  /// The languages that the back end translates, of those that are known here.
  public func languages() async throws(SessionError) -> [HablaLanguage] {
    let json = try await ask(server.request(.get, ["translation", "languages"]))
    let list = json.array ?? json["languages"].array ?? []
    return list.compactMap { ($0.string ?? $0["code"].string).flatMap { HablaLanguage(tag: $0) } }
  }

  /// A call's status in the back end's words.
  public func status(of callSID: String, isAgentCall: Bool = false) async throws(SessionError) -> String {
    let json = try await ask(server.request(.get, (isAgentCall ? ["agent"] : []) + ["call", callSID, "status"]))
    return json["status"].string ?? ""
  }

  private func ask(_ request: HTTPRequest) async throws(SessionError) -> JSON {
    guard allowsUnencrypted || SessionAddress(request.url).isSafe else { throw .hablaUnencrypted }
    let response: HTTPResponse
    do { response = try await client.send(request) } catch { throw .habla(SessionError(error, of: request.url)) }
    guard response.isSuccess else { throw .habla(response) }
    return response.json
  }
}

extension SessionError {
  fileprivate static let hablaUnencrypted = SessionError(
    .configuration, code: "unencrypted", "the back end is not encrypted; use https, or allow it in the settings")
}
