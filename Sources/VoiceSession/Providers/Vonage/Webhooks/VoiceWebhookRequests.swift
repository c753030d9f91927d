internal import Foundation
public import Networking

/// What the platform asks when a call begins.
public struct VoiceAnswerRequest: Sendable, Hashable {
  /// The number or user that is called: of a call from an app, the key `to` of `VoiceClient.serverCall`.
  public var to: String?
  /// The number that calls.
  public var from: String?
  /// The user that calls, of a call from an app.
  public var fromUser: String?
  /// What else the app gave its call, as JSON.
  public var customData: String?
  /// The conversation's name.
  public var conversationUUID: String?
  /// The call's name.
  public var uuid: String?
  /// Where the platform's interface for this call is.
  public var regionURL: String?

  /// Reads a query, or a body of JSON where the application is set to POST.
  public init(_ request: HTTPServerRequest) {
    let body = WebhookFields(request)
    to = body["to"]
    from = body["from"]
    fromUser = body["from_user"]
    customData = body["custom_data"]
    conversationUUID = body["conversation_uuid"]
    uuid = body["uuid"]
    regionURL = body["region_url"]
  }
}

/// What the platform tells of a call's progress.
public struct VoiceWebhookEvent: Sendable, Hashable {
  /// How far it is.
  public enum Status: Sendable, Hashable {
    case started, ringing, answered, completed
    /// A WebSocket could not be reached.
    case failed
    /// It did not answer.
    case unanswered
    /// It has closed; the call may go on by a list that is answered.
    case disconnected
    /// Any other, as it was written: the platform has more.
    case other(String)

    init(_ text: String) {
      switch text {
      case "started": self = .started
      case "ringing": self = .ringing
      case "answered": self = .answered
      case "completed": self = .completed
      case "failed": self = .failed
      case "unanswered": self = .unanswered
      case "disconnected": self = .disconnected
      default: self = .other(text)
      }
    }
  }

  /// How far it is.
  public var status: Status
  /// The call's name.
  public var uuid: String?
  /// The conversation's name.
  public var conversationUUID: String?
  /// Of the leg.
  public var from: String?
  /// Of the leg.
  public var to: String?
  /// The platform's words for it, as the reason of a close.
  public var reason: String?

  /// Reads a body of JSON or a query; `nil` without a status.
  public init?(_ request: HTTPServerRequest) {
    let body = WebhookFields(request)
    guard let status = body["status"] else { return nil }
    self.status = Status(status)
    uuid = body["uuid"]
    conversationUUID = body["conversation_uuid"]
    from = body["from"]
    to = body["to"]
    reason = body["reason"] ?? body["detail"]
  }
}

/// Fields of a webhook, wherever they stand.
private struct WebhookFields {
  private let request: HTTPServerRequest
  private let json: JSON

  init(_ request: HTTPServerRequest) {
    self.request = request
    json = (try? JSON(parsing: String(decoding: request.body, as: UTF8.self))) ?? .null
  }

  subscript(_ name: String) -> String? {
    switch json[name] {
    case .string(let text): text
    case .null: request.parameter(name)
    case let other: other.text
    }
  }
}
