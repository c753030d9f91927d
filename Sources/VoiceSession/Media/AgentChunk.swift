internal import RealtimeCore

/// A piece of an agent's turn on its way through a ring of packets to the audio thread: 4 bytes of the turn's number, one
/// that says whether it is the last, then the sound.
enum AgentChunk {
  static var headerByteCount: Int { @_noLocks get { 5 } }
  /// Bytes of sound that fit into one.
  static let capacity = EngineLink.maximumDatagramByteCount - 5

  /// Puts a piece together.
  static func packet(_ sound: ArraySlice<UInt8>, item: Int, isLast: Bool) -> [UInt8] {
    let number = UInt32(truncatingIfNeeded: item)
    var packet: [UInt8] = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    packet.append(isLast ? 1 : 0)
    packet.append(contentsOf: sound)
    return packet
  }

  /// The turn's number, and whether it ends here; `nil` for what is too short.
  @_noLocks
  static func header(of packet: borrowing ByteView) -> (item: Int, isLast: Bool)? {
    guard packet.count >= headerByteCount else { return nil }
    var number: UInt32 = 0
    for index in 0..<4 { number |= UInt32(packet[index]) << UInt32(8 &* index) }
    return (Int(number), packet[4] == 1)
  }
}
