package import Networking

/// The platform's end of a Voice WebSocket, as its documents describe it, without socket or clock: for tests of an app's
/// server. Each 20 ms it sends the call's sound and plays the oldest packet of its queue.
package struct PlatformLine: Sendable {
  /// What a tick brings.
  package struct Tick: Sendable, Equatable {
    /// To the app's server, in order.
    package var messages: [WebSocketMessage] = []
    /// What the call hears in these 20 ms.
    package var heard: [UInt8]
  }

  package let format: VoiceSocketFormat
  /// Packets that were lost, since the queue was full.
  package private(set) var overflowCount = 0
  /// Packets of a size that is not the format's, which are not played.
  package private(set) var rejectedCount = 0
  /// Ticks in which there was nothing to play, after something was.
  package private(set) var underrunCount = 0
  /// Texts that make no sense to the platform.
  package private(set) var unknownTexts: [String] = []
  private let headers: [String: String]
  private let capacity: Int
  private var queue: [Entry] = []
  private var packetCount = 0
  private var hasPlayed = false

  private enum Entry: Sendable {
    case packet([UInt8])
    case mark(String)
  }

  /// - Parameter capacity: 1,024 packets by the older documents, 3,072 by the newer.
  package init(_ format: VoiceSocketFormat, headers: [String: String] = [:], capacity: Int = 1_024) {
    self.format = format
    self.headers = headers
    self.capacity = capacity
  }

  /// What is said first.
  package var greeting: WebSocketMessage {
    .text(VoiceSocketPlatformMessage.connected(format, headers: headers).text)
  }

  /// Packets that wait.
  package var count: Int { packetCount }

  /// Takes what the app's server sends.
  /// - Returns: what is answered at once.
  package mutating func receive(_ message: WebSocketMessage) -> [WebSocketMessage] {
    switch message {
    case .binary(let packet):
      if packet.count != format.packetByteCount {
        rejectedCount += 1
      } else if packetCount >= capacity {
        overflowCount += 1
      } else {
        queue.append(.packet(packet))
        packetCount += 1
      }
      return []
    case .text(let text):
      switch VoiceSocketServerMessage(text) {
      case .clear:
        // Marks behind it go too, and are never told.
        queue = []
        packetCount = 0
        hasPlayed = false
        return [.text(VoiceSocketPlatformMessage.cleared.text)]
      case .notify(let mark):
        guard packetCount > 0 else { return [.text(VoiceSocketPlatformMessage.played(mark: mark).text)] }
        queue.append(.mark(mark))
        return []
      case nil:
        unknownTexts.append(text)
        return []
      }
    }
  }

  /// 20 ms have passed.
  /// - Parameter spoken: what the call's other parties said in them; a whole packet.
  package mutating func tick(_ spoken: [UInt8]) -> Tick {
    var tick = Tick(messages: [.binary(spoken)], heard: [UInt8](repeating: 0, count: format.packetByteCount))
    if case .packet(let packet)? = queue.first {
      tick.heard = packet
      queue.removeFirst()
      packetCount -= 1
      hasPlayed = true
    } else if hasPlayed {
      underrunCount += 1
      hasPlayed = false
    }
    while case .mark(let mark)? = queue.first {
      tick.messages.append(.text(VoiceSocketPlatformMessage.played(mark: mark).text))
      queue.removeFirst()
    }
    return tick
  }
}
