import RealtimeCore

/// What was asked for again, and when: so that a number is asked for once a round trip and not for ever.
struct RetransmissionList: ~Copyable {
  private static var size: Int { @_noLocks get { 1_024 } }
  /// After so many requests a packet is given up; the way back may be closed.
  private static var maximumRequests: Int { @_noLocks get { 10 } }

  private var numbers = FixedBuffer<Int64>(repeating: .min, count: size)
  private var lastRequests = FixedBuffer<Int64>(repeating: 0, count: size)
  private var requestCounts = FixedBuffer<UInt8>(repeating: 0, count: size)

  init() {}

  /// Whether `number` was asked for.
  @_noLocks
  func contains(_ number: Int64) -> Bool { numbers[slot(number)] == number && requestCounts[slot(number)] > 0 }

  /// Notes a request at `now`; false when the last one is less than `roundTrip` nanoseconds old or there were too many.
  @_noLocks
  mutating func request(_ number: Int64, roundTrip: Int64, at now: MediaInstant) -> Bool {
    let slot = slot(number)
    if numbers[slot] != number {
      numbers[slot] = number
      requestCounts[slot] = 0
    }
    let count = Int(requestCounts[slot])
    guard count < Self.maximumRequests else { return false }
    guard count == 0 || now.nanoseconds &- lastRequests[slot] >= roundTrip else { return false }
    requestCounts[slot] = UInt8(count &+ 1)
    lastRequests[slot] = now.nanoseconds
    return true
  }

  @_noLocks
  mutating func reset() { numbers.fill(0..<Self.size, with: .min) }

  @_noLocks
  private func slot(_ number: Int64) -> Int { Int(number & Int64(Self.size - 1)) }
}
