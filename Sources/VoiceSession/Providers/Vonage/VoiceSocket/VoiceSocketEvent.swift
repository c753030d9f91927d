public import Networking

/// What happens on a Voice WebSocket.
public enum VoiceSocketEvent: Sendable, Hashable {
  /// The platform has told format and headers: always the first.
  case connected(VoiceSocketInfo)
  /// 20 ms of all other parties of the call, silence included: samples in the call's format.
  case audio([UInt8])
  /// A key was pressed.
  case digit(VoiceSocketDigit)
  /// The platform has dropped what waited.
  case cleared
  /// All that was sent before the mark has been played.
  case played(mark: String)
  /// The leg is over; the platform tells its event URL so. `nil`: without a close frame.
  case closed(code: Int?, reason: String)
}

/// What the platform's first message says.
public struct VoiceSocketInfo: Sendable, Hashable {
  /// Of the sound, both ways.
  public var format: VoiceSocketFormat
  /// What the call control list gave as the endpoint's headers; what was no text there is JSON here.
  public var headers: [String: String]

  /// A greeting.
  public init(format: VoiceSocketFormat, headers: [String: String] = [:]) {
    self.format = format
    self.headers = headers
  }
}

/// Limits of a Voice WebSocket.
public struct VoiceSocketSettings: Sendable {
  /// Packets that the platform keeps: 1,024 (20 s) by its older documents, 3,072 (60 s) by the newer. Sound beyond waits here.
  public var platformPackets = 1_024
  /// Packets that may wait here: an hour.
  public var largestBacklogPackets = 180_000
  /// Of the socket below.
  public var webSocket: WebSocketSettings

  /// The defaults.
  public init() {
    webSocket = WebSocketSettings()
    // Half of the platform's room goes out at once.
    webSocket.sendBufferBytes = 4 << 20
    webSocket.sendBacklogBytes = 8 << 20
  }
}

/// Why nothing can be said on a Voice WebSocket.
public enum VoiceSocketError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The platform has not told the format yet, or the socket is gone; wait for `connected`.
  case notConnected
  /// So many packets wait already; send less, or clear.
  case backlogFull(packets: Int, limit: Int)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .notConnected: "the call is not connected, or not any more; send between the events connected and closed"
    case .backlogFull(let packets, let limit):
      "\(packets) of at most \(limit) packets wait to be played; send less, or clear what is late"
    }
  }
}
