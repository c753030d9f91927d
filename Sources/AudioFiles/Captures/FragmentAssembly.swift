/// One fragment of an IP packet.
struct IPFragment {
  /// What tells packets apart while they are put together: addresses and identification.
  struct Key: Hashable {
    let source: [UInt8]
    let destination: [UInt8]
    let identification: Int
  }

  let key: Key
  /// Where its bytes belong, behind the IP header.
  let offset: Int
  let hasSuccessor: Bool
  let bytes: [UInt8]
}

/// Puts fragments of IP packets together (RFC 791 §3.2, RFC 8200 §4.5); a SIP message with a long SDP needs it.
///
/// Bounded: 64 packets at once, of which the oldest gives way; 64 KiB each. Where fragments overlap, the first one's bytes
/// stay.
struct FragmentAssembly {
  /// Fragments that did not come to a whole packet, those still waiting included.
  var lostCount: Int { droppedCount + pending.values.reduce(0) { $0 + $1.pieces.count } }

  private struct Packet {
    var pieces: [IPFragment] = []
    /// The length behind the IP header, once the last fragment has come.
    var length: Int?
  }

  private var pending: [IPFragment.Key: Packet] = [:]
  private var order: [IPFragment.Key] = []
  private var droppedCount = 0

  private static let packetLimit = 64
  private static let pieceLimit = 256
  private static let byteLimit = 65_535

  /// Takes a fragment; returns what is behind the IP header once all of it has come.
  mutating func add(_ fragment: IPFragment) -> [UInt8]? {
    let end = fragment.offset + fragment.bytes.count
    guard end <= Self.byteLimit, !fragment.bytes.isEmpty else {
      droppedCount += 1
      return nil
    }
    if pending[fragment.key] == nil {
      if order.count == Self.packetLimit { forget(order[0]) }
      order.append(fragment.key)
    }
    var packet = pending.removeValue(forKey: fragment.key) ?? Packet()
    if packet.pieces.count < Self.pieceLimit { packet.pieces.append(fragment) } else { droppedCount += 1 }
    if !fragment.hasSuccessor { packet.length = end }
    pending[fragment.key] = packet
    guard let length = packet.length, let whole = Self.join(packet.pieces, length: length) else { return nil }
    pending[fragment.key] = nil
    order.removeAll { $0 == fragment.key }
    return whole
  }

  private mutating func forget(_ key: IPFragment.Key) {
    droppedCount += pending.removeValue(forKey: key)?.pieces.count ?? 0
    order.removeAll { $0 == key }
  }

  /// The bytes up to `length`; `nil` while there are holes.
  private static func join(_ pieces: [IPFragment], length: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    for piece in pieces.sorted(by: { $0.offset < $1.offset }) {
      guard piece.offset <= bytes.count else { return nil }
      bytes += piece.bytes.dropFirst(bytes.count - piece.offset)
    }
    return bytes.count >= length ? Array(bytes.prefix(length)) : nil
  }
}
