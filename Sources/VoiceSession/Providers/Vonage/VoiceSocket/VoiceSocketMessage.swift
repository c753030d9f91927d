internal import Networking

/// A text of the platform's, to the app's server.
package enum VoiceSocketPlatformMessage: Sendable, Equatable {
  /// Always the first: the format, and the headers that the call control list gave.
  case connected(VoiceSocketFormat, headers: [String: String])
  /// The format is none.
  case unsupported(contentType: String)
  case digit(VoiceSocketDigit)
  /// All that waited is dropped.
  case cleared
  /// All that was sent before this mark has been played.
  case played(mark: String)

  /// `nil`: of no meaning here.
  package init?(_ text: String) {
    guard let json = try? JSON(parsing: text) else { return nil }
    switch json["event"].string {
    case "websocket:connected":
      guard let contentType = json["content-type"].string else { return nil }
      guard let format = VoiceSocketFormat(contentType: contentType) else {
        self = .unsupported(contentType: contentType)
        return
      }
      var headers: [String: String] = [:]
      for (name, value) in json.object ?? [:] where name != "event" && name != "content-type" {
        headers[name] = value.string ?? value.text
      }
      self = .connected(format, headers: headers)
    case "websocket:dtmf":
      guard let digit = VoiceSocketDigit(json: json) else { return nil }
      self = .digit(digit)
    case "websocket:cleared": self = .cleared
    case "websocket:notify":
      guard let mark = json["payload"]["mark"].string else { return nil }
      self = .played(mark: mark)
    case nil:
      // The other shape that is seen of it.
      guard let digit = VoiceSocketDigit(json: json["dtmf"]) else { return nil }
      self = .digit(digit)
    default: return nil
    }
  }

  /// As the platform writes it.
  package var text: String {
    let json: JSON =
      switch self {
      case .connected(let format, let headers):
        .object(
          headers.mapValues(JSON.string).merging([
            "event": "websocket:connected", "content-type": .string(format.contentType),
          ]) { $1 })
      case .unsupported(let contentType): ["event": "websocket:connected", "content-type": .string(contentType)]
      case .digit(let digit):
        .object(compact: [
          "event": "websocket:dtmf", "digit": .string(String(digit.key)),
          "duration": digit.milliseconds.map { .number(Double($0)) },
        ])
      case .cleared: ["event": "websocket:cleared"]
      case .played(let mark): ["event": "websocket:notify", "payload": ["mark": .string(mark)]]
      }
    return json.text
  }
}

/// A text of the app's server, to the platform.
package enum VoiceSocketServerMessage: Sendable, Equatable {
  /// Drops all that waits to be played.
  case clear
  /// Wants to know when all that was sent before has been played.
  case notify(mark: String)

  /// `nil`: of no meaning to the platform.
  package init?(_ text: String) {
    guard let json = try? JSON(parsing: text) else { return nil }
    switch json["action"].string {
    case "clear": self = .clear
    case "notify":
      guard let mark = json["payload"]["mark"].string else { return nil }
      self = .notify(mark: mark)
    default: return nil
    }
  }

  /// As the platform wants it.
  package var text: String {
    switch self {
    case .clear: JSON.object(["action": "clear"]).text
    case .notify(let mark): JSON.object(["action": "notify", "payload": ["mark": .string(mark)]]).text
    }
  }
}

/// A key that was pressed in the call.
public struct VoiceSocketDigit: Sendable, Hashable {
  /// 0 to 9, `*`, `#`.
  public var key: Character
  /// For how long, where that is told.
  public var milliseconds: Int?

  /// A key.
  public init(_ key: Character, milliseconds: Int? = nil) {
    self.key = key
    self.milliseconds = milliseconds
  }

  init?(json: JSON) {
    guard let text = json["digit"].string, text.count == 1, let key = text.first, "0123456789*#".contains(key) else {
      return nil
    }
    self.init(key, milliseconds: json["duration"].int)
  }
}
