internal import RealtimeCore

/// Transit of packets over the first one's.
struct TransitMeter {
  private let clockRate: Double
  private var timestamps = TimestampUnwrapper()
  private var first: (ticks: Int64, arrival: MediaInstant)?

  init(_ clockRate: Int) { self.clockRate = Double(clockRate) }

  mutating func measure(_ timestamp: RTPTimestamp, at arrival: MediaInstant) -> Double {
    let ticks = timestamps.unwrap(timestamp)
    let first = self.first ?? (ticks, arrival)
    self.first = first
    return arrival.milliseconds(since: first.arrival) - Double(ticks - first.ticks) * 1_000 / clockRate
  }
}
