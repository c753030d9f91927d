internal import RealtimeCore

/// How much media the timestamps of one run of packets span, the last packet's own length included.
struct MediaTimeline {
  private let first: Int64
  private var last: Int64
  private var previous: Int64?
  private var unwrapper = TimestampUnwrapper()
  /// How often neighbouring packets were so many ticks apart; the few lengths that a sender uses.
  private var steps: [Int64: Int] = [:]

  private static let stepKinds = 16

  init(first timestamp: UInt32) {
    first = unwrapper.unwrap(RTPTimestamp(timestamp))
    last = first
  }

  /// - Parameter isNext: its sequence number follows that of the packet before.
  mutating func add(_ timestamp: UInt32, isNext: Bool) {
    let now = unwrapper.unwrap(RTPTimestamp(timestamp))
    if isNext, let previous, now > previous, steps[now - previous] != nil || steps.count < Self.stepKinds {
      steps[now - previous, default: 0] += 1
    }
    previous = now
    last = max(last, now)
  }

  /// The most frequent step between neighbours, the shorter of two equally frequent ones; 0 when there is none.
  var packetTicks: Int {
    Int(steps.max { ($0.value, -$0.key) < ($1.value, -$1.key) }?.key ?? 0)
  }

  var ticks: Int64 { last - first + Int64(packetTicks) }
}
