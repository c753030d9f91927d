internal import CNice

/// An IPv4 or IPv6 address without a port, as text that two equal addresses share.
struct IPAddress: Hashable {
  let text: String
  let isIPv6: Bool
  /// 127.0.0.0/8 or ::1.
  let isLoopback: Bool
  /// 169.254.0.0/16 or fe80::/10.
  let isLinkLocal: Bool
  /// Of one host: neither unspecified, multicast nor broadcast.
  let isUnicast: Bool

  /// Reads an address, with or without "%" and a zone behind it; `nil` for anything else, host names included.
  init?(_ text: String) {
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 != 0 }) else { return nil }
    let bare = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init) ?? ""
    // Not by libnice's parser: it asks getaddrinfo, which also takes "1" or "0x7f.1" for addresses.
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, bare, &bytes) == 1 {
      isIPv6 = false
      isLoopback = bytes[0] == 127
      isLinkLocal = bytes[0] == 169 && bytes[1] == 254
      isUnicast = bytes[0] != 0 && bytes[0] < 224
    } else if unsafe inet_pton(AF_INET6, bare, &bytes) == 1 {
      isIPv6 = true
      isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
      isLinkLocal = bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
      // An IPv4 address in IPv6's clothes would slip past the rules for IPv4; no candidate has that form (RFC 8445 §5.1.1.1).
      let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
      isUnicast = bytes[0] != 0xFF && bytes.contains { $0 != 0 } && !isMapped
    } else {
      return nil
    }
    var form = [CChar](repeating: 0, count: 46)  // INET6_ADDRSTRLEN
    unsafe inet_ntop(isIPv6 ? AF_INET6 : AF_INET, bytes, &form, socklen_t(form.count))
    self.text = String(decoding: form.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The addresses of this machine.
enum LocalAddresses {
  /// Those of the interfaces that are up, in the form that libnice reads: a link-local one has its zone behind it.
  static func all(loopback: Bool, linkLocal: Bool) -> [String] {
    let list = unsafe nice_interfaces_get_local_ips(loopback ? 1 : 0)
    defer { unsafe antiphon_free_addresses(list) }
    var found: [String] = []
    var item = unsafe list
    while let entry = unsafe item {
      let text = unsafe String(cString: entry.pointee.data.assumingMemoryBound(to: CChar.self))
      if let address = IPAddress(text), linkLocal || !address.isLinkLocal, !found.contains(text) { found.append(text) }
      unsafe item = entry.pointee.next
    }
    return found
  }
}
