internal import Networking

/// A call control list: what the platform is to do with a call, step by step.
///
/// ```swift
/// let list = NCCO([.connect(.phone("15550100"), from: "15550111")])
/// ```
/// - Source: Vonage's NCCO reference; the actions that in-app calls and Voice WebSockets need.
public struct NCCO: Sendable, Hashable {
  /// In order.
  public var actions: [Action]

  /// A list.
  public init(_ actions: [Action] = []) { self.actions = actions }

  /// One step.
  public enum Action: Sendable, Hashable {
    /// Connects the call with another party.
    case connect(Connect)
    /// Speaks a text.
    case talk(String, language: String? = nil, style: Int? = nil, allowsBargeIn: Bool = false)
    /// Plays a file.
    case stream(url: String, loops: Int = 1)

    /// Connects the call with another party.
    /// - Parameter from: the number that the party sees, in E.164 form without a plus.
    public static func connect(_ endpoint: Endpoint, from: String? = nil) -> Action {
      .connect(Connect(endpoint, from: from))
    }
  }

  /// A connection to another party.
  public struct Connect: Sendable, Hashable {
    /// Whom.
    public var endpoint: Endpoint
    /// The number that the party sees.
    public var from: String?
    /// Where progress is told, beside the application's own.
    public var eventURL: String?
    /// Whether the answer to progress may be a list that takes this one's place, as when the party cannot be reached.
    public var isSynchronous = false
    /// Seconds that it may ring.
    public var timeout: Int?

    /// A connection.
    public init(_ endpoint: Endpoint, from: String? = nil, eventURL: String? = nil, isSynchronous: Bool = false) {
      self.endpoint = endpoint
      self.from = from
      self.eventURL = eventURL
      self.isSynchronous = isSynchronous
    }
  }

  /// A party of a call.
  public enum Endpoint: Sendable, Hashable {
    /// A number, in E.164 form without a plus.
    case phone(String)
    /// A user of the application's.
    case app(user: String)
    /// A SIP address.
    case sip(uri: String)
    /// A server of the app's, which the platform dials; see `VoiceSocket`.
    case webSocket(uri: String, format: VoiceSocketFormat = .l16At16kHz, headers: [String: String] = [:])

    /// Bytes that the headers take; older documents of the platform allow 512.
    public var headersByteCount: Int {
      guard case .webSocket(_, _, let headers) = self else { return 0 }
      return JSON.object(headers.mapValues(JSON.string)).text.utf8.count
    }
  }

  /// As the platform reads it.
  public var json: String { JSON.array(actions.map(\.value)).text }
}

extension NCCO.Action {
  var value: JSON {
    switch self {
    case .connect(let connect):
      .object(compact: [
        "action": "connect", "endpoint": [connect.endpoint.value], "from": connect.from.map(JSON.string),
        "eventType": connect.isSynchronous ? "synchronous" : nil,
        "eventUrl": connect.eventURL.map { [.string($0)] }, "timeout": connect.timeout.map { .number(Double($0)) },
      ])
    case .talk(let text, let language, let style, let allowsBargeIn):
      .object(compact: [
        "action": "talk", "text": .string(text), "language": language.map(JSON.string),
        "style": style.map { .number(Double($0)) }, "bargeIn": allowsBargeIn ? true : nil,
      ])
    case .stream(let url, let loops):
      .object(compact: [
        "action": "stream", "streamUrl": [.string(url)], "loop": loops == 1 ? nil : .number(Double(loops)),
      ])
    }
  }
}

extension NCCO.Endpoint {
  var value: JSON {
    switch self {
    case .phone(let number): ["type": "phone", "number": .string(number)]
    case .app(let user): ["type": "app", "user": .string(user)]
    case .sip(let uri): ["type": "sip", "uri": .string(uri)]
    case .webSocket(let uri, let format, let headers):
      .object(compact: [
        "type": "websocket", "uri": .string(uri), "content-type": .string(format.contentType),
        "headers": headers.isEmpty ? nil : .object(headers.mapValues(JSON.string)),
      ])
    }
  }
}
