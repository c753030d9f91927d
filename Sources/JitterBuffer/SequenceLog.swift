import RealtimeCore

/// Which of the last 1,024 sequence numbers have come, and which of them carried no audio of ours.
struct SequenceLog: ~Copyable {
  private static var size: Int { @_noLocks get { 1_024 } }
  private var seen = FixedBuffer<Int64>(repeating: .min, count: size)
  private var foreign = FixedBuffer<Int64>(repeating: .min, count: size)

  init() {}

  /// Notes an audio packet.
  /// - Returns: false when it had come before.
  @_noLocks
  mutating func insert(_ sequence: Int64) -> Bool {
    let slot = Int(sequence & Int64(Self.size - 1))
    guard seen[slot] != sequence else { return false }
    seen[slot] = sequence
    return true
  }

  /// Whether a packet of this number has come, of whatever kind.
  @_noLocks
  func contains(_ sequence: Int64) -> Bool {
    let slot = Int(sequence & Int64(Self.size - 1))
    return seen[slot] == sequence || foreign[slot] == sequence
  }

  /// Notes a number that was used for something else than audio (a telephone event).
  @_noLocks
  mutating func insertForeign(_ sequence: Int64) { foreign[Int(sequence & Int64(Self.size - 1))] = sequence }

  /// How many of the numbers between `first` and `second`, both excluded, are missing audio; 1,024 at most.
  @_noLocks
  func missing(between first: Int64, _ second: Int64) -> Int {
    let distance = second &- first
    guard distance > 1 else { return 0 }
    var missing = 0
    var sequence = max(first &+ 1, second &- Int64(Self.size))
    while sequence < second {
      if foreign[Int(sequence & Int64(Self.size - 1))] != sequence { missing &+= 1 }
      sequence &+= 1
    }
    return missing
  }

  /// Forgets everything, for a stream that starts anew.
  @_noLocks
  mutating func reset() {
    seen.fill(0..<Self.size, with: .min)
    foreign.fill(0..<Self.size, with: .min)
  }
}
