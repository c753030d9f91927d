import Foundation
import TestSupport
import Testing

/// `antiphon agent` as a program.
struct AgentTests {
  @Test(arguments: ["telnyx", "elevenlabs", "polyai", "habla", "vonage"])
  func listensAndEndsWell(vendor: String) throws {
    for signal in ["INT", "TERM"] {
      let folder = try Folder()
      let result = try Program.shell(
        """
        antiphon agent --listen 127.0.0.1:0 --as \(vendor) --voice tone:440 --json > out.txt & program=$!
        for i in $(seq 200); do grep -qs listening out.txt && break; sleep 0.05; done
        kill -\(signal) $program; wait $program; code=$?; cat out.txt; exit $code
        """, in: folder)
      #expect(result.code == 0 && result.error.isEmpty, "\(result.error)")
      struct Listening: Decodable {
        let event: String
        let vendor: String
        let port: Int
        let url: String
      }
      let line = try JSONDecoder().decode(Listening.self, from: Data((result.lines.first ?? "").utf8))
      #expect(line.event == "listening" && line.vendor == vendor && line.port > 0)
      #expect(line.url.contains("127.0.0.1:\(line.port)"))
    }
  }

  @Test(arguments: [
    ("agent", "--as VENDOR is missing"), ("agent --as twilio", "--as takes"),
    ("agent --as habla --listen 8090", "HOST:PORT"), ("agent --as habla --voice tone:5", "--voice takes"),
    ("agent --as habla --voice alto", "--voice takes"), ("agent --as habla extra", "unexpected argument"),
  ])
  func wrongUse(line: String, words: String) throws {
    let result = try Program.shell("antiphon \(line)", in: Folder())
    #expect(result.code == 2 && result.error.contains(words), "\(result.error)")
  }

  @Test func aTakenPortIsTold() throws {
    let result = try Program.shell(
      """
      antiphon agent --listen 127.0.0.1:0 --as habla --voice echo > out.txt & program=$!
      for i in $(seq 200); do grep -qs listening out.txt && break; sleep 0.05; done
      port=$(sed 's/.*://' out.txt)
      antiphon agent --listen 127.0.0.1:$port --as habla --voice echo; code=$?
      kill $program; wait $program; exit $code
      """, in: Folder())
    #expect(result.code == 1 && result.error.contains("cannot listen"), "\(result.error)")
  }
}
