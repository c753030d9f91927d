import Foundation
import RTPTransport
import RealtimeCore
import TestSupport

/// A test file that does not hold what its reader expects.
struct WrongVectorFile: Error { let line: String }

func bytes(hex text: some StringProtocol) throws -> [UInt8] {
  if text == "-" { return [] }
  let digits = Array(text.utf8)
  guard digits.count % 2 == 0 else { throw WrongVectorFile(line: String(text)) }
  return try stride(from: 0, to: digits.count, by: 2).map { index in
    guard let byte = UInt8(String(decoding: digits[index...index + 1], as: UTF8.self), radix: 16) else {
      throw WrongVectorFile(line: String(text))
    }
    return byte
  }
}

/// The lines of a file in testdata/srtp, split at spaces, without comments.
func vectorLines(_ name: String, fieldCount: Int) throws -> [[Substring]] {
  let text = try String(contentsOf: testdata.appendingPathComponent("srtp/\(name)"), encoding: .utf8)
  return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
    let fields = line.split(separator: " ")
    guard fields.count == fieldCount else { throw WrongVectorFile(line: String(line)) }
    return fields
  }
}

/// An RTP packet without contributing sources or extension.
func rtpPacket(sequence: UInt16, ssrc: UInt32 = 7, payload: [UInt8]) -> [UInt8] {
  var head = [UInt8](repeating: 0, count: 12)
  let header = RTPHeader(
    payloadType: 0, sequenceNumber: SequenceNumber(sequence), timestamp: RTPTimestamp(UInt32(sequence) * 160),
    ssrc: ssrc)
  var span = head.mutableSpan
  do { try header.write(into: &span) } catch { fatalError("12 bytes hold a header") }
  return head + payload
}

extension SRTPKey {
  /// A key for tests; `seed` tells one from the other.
  static func test(_ profile: SRTPProfile, seed: UInt64 = 1) throws -> SRTPKey {
    var random = SeededRandom(seed: seed)
    let count = profile.keyByteCount + profile.saltByteCount
    return try SRTPKey(profile, keyAndSalt: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
  }
}

extension SRTPSender {
  mutating func protecting(_ packet: [UInt8], control: Bool = false) throws(SRTPError) -> [UInt8] {
    var bytes = packet + [UInt8](repeating: 0, count: 20)
    var span = bytes.mutableSpan
    let count =
      control
      ? try protectControl(&span, byteCount: packet.count) : try protect(&span, byteCount: packet.count)
    return Array(bytes[..<count])
  }
}

extension SRTPReceiver {
  mutating func unprotecting(_ packet: [UInt8], control: Bool = false) throws(SRTPError) -> [UInt8] {
    var bytes = packet
    var span = bytes.mutableSpan
    let count =
      control
      ? try unprotectControl(&span, byteCount: packet.count) : try unprotect(&span, byteCount: packet.count)
    return Array(bytes[..<count])
  }
}
