import RTPTransport
import Testing

@testable import Networking

@Suite("STUN and TURN addresses")
struct ICEServerTests {
  @Test(
    "URIs of RFC 7064 and 7065",
    arguments: [
      ("stun:stun.example.org", "stun:stun.example.org:3478"), ("STUN:192.0.2.1:3479", "stun:192.0.2.1:3479"),
      ("turn:example.org", "turn:example.org:3478?transport=udp"),
      ("turn:example.org:80?transport=tcp", "turn:example.org:80?transport=tcp"),
      ("turns:example.org?transport=tcp", "turns:example.org:5349?transport=tcp"),
      ("turns:[2001:db8::1]:443", "turns:[2001:db8::1]:443?transport=tcp"),
    ])
  func reads(uri: String, meaning: String) {
    #expect(ICEServer(uri, username: "user", password: "secret")?.description == meaning)
  }

  @Test(
    "what is none is refused",
    arguments: [
      "", "stun", "stun:", "stuns:example.org", "http:example.org", "stun:a:0", "stun:a:70000", "stun:a:b", "stun:[::1",
      "stun:[::1]x", "stun:a?transport=udp", "turn:a?transport=sctp", "turn:a?x=y", "turns:a?transport=udp", "stun:a b",
    ])
  func refuses(uri: String) {
    #expect(ICEServer(uri, username: "user", password: "secret") == nil)
  }

  @Test("TURN needs a user; no description shows a password")
  func credentials() {
    #expect(ICEServer("turn:example.org") == nil)
    #expect(ICEServer("stun:example.org") != nil)
    let server = ICEServer.turn("example.org", username: "user", password: "geheim")
    #expect(!"\(server)".contains("geheim"))
  }

  @Test("addresses are told from names, and known for what they are")
  func addresses() throws {
    for name in ["", "localhost", "1", "0x7f.1", "127.1", "1.2.3.4.5", "::g", "a.local", "127.0.0.1 "] {
      #expect(IPAddress(name) == nil, "\(name)")
    }
    #expect(IPAddress("127.8.9.1")?.isLoopback == true)
    #expect(IPAddress("0:0:0:0:0:0:0:1")?.text == "::1")
    #expect(IPAddress("fe80::1%eth0")?.isLinkLocal == true)
    #expect(IPAddress("169.254.1.1")?.isLinkLocal == true)
    #expect(IPAddress("192.0.2.1")?.isUnicast == true)
    for text in ["0.0.0.0", "239.1.1.1", "255.255.255.255", "::", "ff02::1", "::ffff:10.0.0.1"] {
      #expect(IPAddress(text)?.isUnicast == false, "\(text)")
    }
  }

  @Test("fresh credentials are valid and differ")
  func random() {
    let made = (0..<100).map { _ in ICECredentials.random() }
    #expect(made.allSatisfy { $0.isValid })
    #expect(Set(made).count == 100)
  }
}
