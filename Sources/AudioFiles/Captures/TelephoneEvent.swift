public import RealtimeCore

// RFC 4733 §2.3:   event8 | E1 R1 volume6 | duration16
//
// One key is many packets: they repeat its first timestamp, the duration grows, and the last one comes three times, with
// or without a sequence number of its own.

/// A key that was pressed, or another signal that a telephone sends by name.
public struct TelephoneEvent: Hashable, Sendable {
  /// 0 to 15 are the keys, the rest is in the registry of RFC 4733.
  public let code: UInt8
  /// When it began, as its packets repeat it.
  public let timestamp: RTPTimestamp
  /// Ticks of the media clock from the stream's first packet to its beginning.
  public let startTicks: Int64
  /// How long it lasted, in ticks of its own clock.
  public internal(set) var durationTicks: Int
  /// Level in dB below 1 mW at the zero point, 0 to 63; 0 where the sender does not say.
  public let volume: Int
  /// A packet with the end bit came.
  public internal(set) var hasEnded: Bool

  /// "5", "#", "D"; "flash" and "event 32" for what is no key.
  public var key: String {
    switch code {
    case 0...9: "\(code)"
    case 10: "*"
    case 11: "#"
    case 12...15: ["A", "B", "C", "D"][Int(code) - 12]
    case 16: "flash"
    default: "event \(code)"
    }
  }
}

/// Collects the events of one payload type.
struct TelephoneEventTracker: Sendable {
  /// In the order in which they began, the first 10,000.
  private(set) var events: [TelephoneEvent] = []
  /// All payloads so far can be events: 4 bytes with the reserved bit clear.
  private(set) var isPlausible = true
  private var unwrapper = TimestampUnwrapper()
  private let origin: Int64
  /// Where the part of the last event began that is being told, and how long the parts before it were: a key held for
  /// longer than 65,535 ticks goes on under the timestamp where its first part ended (RFC 4733 §2.5.1.3).
  private var part = RTPTimestamp(0)
  private var ticksBeforePart = 0

  private static let limit = 10_000

  /// - Parameter first: the timestamp of the stream's first packet.
  init(first: UInt32) { origin = unwrapper.unwrap(RTPTimestamp(first)) }

  mutating func add(_ payload: ArraySlice<UInt8>, timestamp: UInt32) {
    let bytes = Array(payload)
    guard bytes.count == 4, bytes[1] & 0x40 == 0 else {
      isPlausible = false
      return
    }
    let duration = bytes.shortInteger(2, bigEndian: true)
    let hasEnded = bytes[1] & 0x80 != 0
    let mark = RTPTimestamp(timestamp)
    if let last = events.indices.last, events[last].code == bytes[0] {
      let isNextPart =
        !events[last].hasEnded && events[last].durationTicks - ticksBeforePart == 0xFFFF
        && part.distance(to: mark) == 0xFFFF
      if isNextPart { (part, ticksBeforePart) = (mark, events[last].durationTicks) }
      if mark == part { return events[last].update(ticksBeforePart + duration, hasEnded: hasEnded) }
    }
    // Packets that were overtaken belong to one of the last events.
    if let index = events.indices.suffix(4).last(where: { events[$0].timestamp == mark && events[$0].code == bytes[0] })
    {
      return events[index].update(duration, hasEnded: hasEnded)
    }
    guard events.count < Self.limit else { return }
    (part, ticksBeforePart) = (mark, 0)
    events.append(
      TelephoneEvent(
        code: bytes[0], timestamp: mark, startTicks: unwrapper.unwrap(mark) - origin, durationTicks: duration,
        volume: Int(bytes[1] & 0x3F), hasEnded: hasEnded))
  }
}

extension TelephoneEvent {
  fileprivate mutating func update(_ ticks: Int, hasEnded: Bool) {
    durationTicks = max(durationTicks, ticks)
    self.hasEnded = self.hasEnded || hasEnded
  }
}
