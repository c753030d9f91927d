/// What goes on in a live call, as the user is told.
public enum HablaLivePhase: String, Sendable, Hashable, CaseIterable {
  /// There is no connection.
  case idle
  /// The user is being heard, or may speak.
  case listening
  /// What the user said is being translated.
  case translating
  /// The far end's words are coming.
  case speaking

  /// From what level on the user counts as speaking.
  static let speechLevel = 0.05

  /// The phase after any change: what comes goes before what is said, and silence after either means that the
  /// translator works.
  static func next(
    after phase: HablaLivePhase, isConnected: Bool, isReceiving: Bool, level: Double
  ) -> HablaLivePhase {
    if !isConnected { return .idle }
    if isReceiving { return .speaking }
    if level >= speechLevel { return .listening }
    return phase == .idle ? .listening : .translating
  }
}

extension Double {
  /// The vendor's scalar level of a packet: three times its RMS, at most 1. 16 bits, least significant byte first.
  init(hablaLevelOf packet: [UInt8]) {
    var sum = 0.0
    let count = packet.count / 2
    for index in 0..<count {
      let sample = Double(Int16(truncatingIfNeeded: Int(packet[2 * index]) | Int(packet[2 * index + 1]) << 8))
      sum += sample * sample
    }
    self = count == 0 ? 0 : min(1, 3 * (sum / Double(count)).squareRoot() / 32_768)
  }
}
