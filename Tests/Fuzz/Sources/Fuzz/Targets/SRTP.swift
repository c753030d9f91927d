import RTPTransport
import RealtimeCore

/// The input is a profile, then commands: datagrams as an attacker sends them, and packets that are sealed with the
/// right key, so that the way behind the authentication is reached; each at will with one byte changed.
func fuzzSRTP(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let profiles = SRTPProfile.allCases
  let profile = profiles[Int(input.byte()) % profiles.count]
  let key = try SRTPKey(profile, keyAndSalt: keyBytes(of: profile))
  var receiver = try SRTPReceiver(key: key, maximumSourceCount: 4)
  var sender = try SRTPSender(key: key, ssrc: sealedSource)

  for _ in 0..<64 where !input.isEmpty {
    let command = input.byte()
    let isControl = command & 1 != 0
    if command & 2 == 0 {
      _ = open(input.chunk(), isControl, &receiver)
      continue
    }
    var plain = input.chunk()
    let source = isControl ? 4 : 8
    guard plain.count >= source + 4 else { continue }
    for index in 0..<4 { plain[source + index] = UInt8(truncatingIfNeeded: sealedSource >> (24 - 8 * index)) }
    guard var sealed = seal(plain, isControl, &sender) else { continue }
    let change = command & 4 != 0 ? input.byte() : 0
    let place = Int(input.short()) % sealed.count
    sealed[place] ^= change
    guard let opened = open(sealed, isControl, &receiver) else { continue }
    // A tag of 32 bits can be met by chance.
    check(change == 0 || profile == .aes128CounterModeSHA1x32, "byte \(place) was changed and not noticed")
    if change == 0 { check(opened == plain, "a packet was not opened as it was sealed") }
  }
}

private let sealedSource: UInt32 = 0x0BAD_CAFE

private func seal(_ plain: [UInt8], _ isControl: Bool, _ sender: inout SRTPSender) -> [UInt8]? {
  var packet = plain + [UInt8](repeating: 0, count: 20)
  var span = packet.mutableSpan
  let count =
    isControl
    ? try? sender.protectControl(&span, byteCount: plain.count) : try? sender.protect(&span, byteCount: plain.count)
  guard let count else { return nil }
  check(count > plain.count && count <= packet.count, "\(plain.count) bytes were sealed to \(count)")
  return Array(packet[..<count])
}

private func open(_ sealed: [UInt8], _ isControl: Bool, _ receiver: inout SRTPReceiver) -> [UInt8]? {
  var packet = sealed
  var span = packet.mutableSpan
  let count =
    isControl
    ? try? receiver.unprotectControl(&span, byteCount: sealed.count)
    : try? receiver.unprotect(&span, byteCount: sealed.count)
  guard let count else { return nil }
  check(count >= 0 && count < sealed.count, "\(sealed.count) bytes were opened to \(count)")
  return Array(packet[..<count])
}

/// The keys of testdata/srtp/packets.txt, whose packets are in the corpus.
private func keyBytes(of profile: SRTPProfile) -> [UInt8] {
  let digits =
    switch profile {
    case .aes128CounterModeSHA1x80: "1bb09b07f38fd149659f9ec8daa2ec8be68e51569ef7d150eb328b573392"
    case .aes128CounterModeSHA1x32: "2507916fc69eca4dc6de123239f311a054f31485a52187f1e897b4fa157d"
    case .aes256CounterModeSHA1x80:
      "4a70040abc518309c6b59c8ec87966fb8891df2db3fdcd40b01782cf5cd6f82a3510ffe303a693e8d7e0226be9a2"
    case .aes128GCM: "a3fc90bf5fbe70cc0b71efc568ff6297614a8fb65bbd87e276673ed9"
    case .aes256GCM: "3da83ae90453da8ad3dca35cd80a7c0f28def98605d44d12e8e73b04a15ac98205ffd48b2d730a1773899bf8"
    }
  let nibbles = digits.utf8.map { $0 < 0x3A ? $0 - 0x30 : $0 - 0x57 }
  return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
}
