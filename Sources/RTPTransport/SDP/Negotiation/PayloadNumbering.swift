/// Payload type numbers that a peer's offer has given out: they keep their meaning for the session's life
/// (RFC 3264 §8.3.2), so later offers of this end use the same.
struct PayloadNumbering: Sendable {
  private var taken: [RTPMap] = []

  /// Nothing given out yet.
  init() {}

  /// What `remote` gives out.
  init(_ remote: [SDPCodec]) { taken = remote.map(\.map) }

  /// `codecs` under the numbers given out, and under free ones where theirs mean something else by now.
  func applied(to codecs: [SDPCodec]) -> [SDPCodec] {
    var renamed: [UInt8: UInt8] = [:]
    var used = Set(taken.map(\.payloadType))
    var result = codecs
    for index in result.indices {
      let number = result[index].map.payloadType
      if let same = taken.first(where: { $0.isSameFormat(as: result[index].map) }) {
        result[index].map.payloadType = same.payloadType
      } else if used.contains(number) {
        // The dynamic range, then the unassigned numbers below it that Chromium uses too (RFC 3551 §6).
        let free = (Array(96...127) + Array(35...63)).first { !used.contains($0) }
        result[index].map.payloadType = free ?? number
      }
      used.insert(result[index].map.payloadType)
      renamed[number] = result[index].map.payloadType
    }
    for index in result.indices where result[index].role == .redundantAudio {
      let inside = result[index].parameters.text.split(separator: "/").map { part in
        UInt8(part).flatMap { renamed[$0] }.map { "\($0)" } ?? String(part)
      }
      result[index].parameters = FormatParameters(inside.joined(separator: "/"))
    }
    return result
  }
}
