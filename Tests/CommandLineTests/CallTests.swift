import Foundation
import RealtimeCore
import TestSupport
import Testing

/// `antiphon answer` and `antiphon call` call each other over real sockets.
struct CallTests {
  private struct Figures: Decodable {
    struct Statistics: Decodable {
      struct Inbound: Decodable { var packetsReceived: Int, packetsLost: Int }
      struct Keys: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      var inbound: Inbound

      init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        inbound = try values.decode(Inbound.self, forKey: Keys(stringValue: "inbound-rtp"))
      }
    }
    var codec: String?
    var keys: String
    var end: String
    var srtpCipher: String?
    var statistics: Statistics?
  }

  @Test func twoProgramsCallEachOther() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 48_000), "low.wav")
    try folder.write(sine(700, sampleRate: .hz16000, count: 80_000), "high.wav")
    let result = try Program.shell(
      """
      antiphon answer --listen 127.0.0.1:0 --mic high.wav --out user.wav --calls 1 --unprocessed --json > answer.txt &
      for i in $(seq 200); do grep -q listening answer.txt && break; sleep 0.05; done
      url=$(sed -n 's/listening at //p' answer.txt)
      antiphon call --to "$url" --mic low.wav --out heard.wav --keys '1#' --unprocessed --json > call.txt || exit 1
      wait
      grep -v listening answer.txt > answer.json
      """, in: folder)
    #expect(result.code == 0, "\(result.error)")
    func figures(_ name: String) throws -> Figures {
      try JSONDecoder().decode(Figures.self, from: Data(contentsOf: folder.url.appendingPathComponent(name)))
    }
    let (caller, callee) = (try figures("call.txt"), try figures("answer.json"))
    #expect(caller.codec == "opus/48000" && callee.codec == "opus/48000")
    #expect(caller.srtpCipher == "aes128GCM" && callee.keys == "1#")
    #expect(caller.end == "with the end of the recording" && callee.end == "by the peer")
    let received = try #require(caller.statistics).inbound
    #expect(received.packetsReceived > 100)
    #expect(received.packetsLost < received.packetsReceived / 10)
    for (name, frequency) in [("heard.wav", 700.0), ("user.wav", 440.0)] {
      let samples = try folder.read(name).samples
      let middle = Array(samples[(samples.count / 3)..<(samples.count / 3 + 9_600)])
      #expect(power(middle, at: frequency) > 100 * power(middle, at: frequency * 1.3), "\(name)")
    }
  }

  private func power(_ samples: [Float], at frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * .pi * frequency * Double(index) / 48_000
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
    }
    return real * real + imaginary * imaginary
  }

  @Test(arguments: [
    ("call --to http://127.0.0.1:1/whip --mic tone.wav", 1, "nothing listens"),
    ("call --to ftp://host/ --mic tone.wav", 1, "not a URL"),
    ("call --to http://127.0.0.1:1/ --mic none.wav", 1, "none.wav"),
    ("call --to http://127.0.0.1:1/ --mic tone.wav --turn turn:host", 2, "--turn-user"),
    ("call --to http://127.0.0.1:1/ --relay-only --mic tone.wav", 2, "--turn"),
    ("call --to http://127.0.0.1:1/ --keys 1x", 2, "no key"),
    ("call --to http://127.0.0.1:1/ --frame-ms 30", 2, "--frame-ms"),
    ("call --to http://127.0.0.1:1/ --mic tone.wav --capture mic", 2, "not both"),
    ("call --mic tone.wav", 2, "--to"),
    ("answer --listen nowhere", 2, "HOST:PORT"),
    ("answer --listen 203.0.113.7:80 --mic tone.wav", 1, "203.0.113.7"),
    ("serve-calls --calls 1 --port-base 40000 --peer-base 45000", 2, "--receive-key"),
    ("serve-calls --calls 9 --port-base 65530 --peer-base 1", 2, "65535"),
  ])
  func wrongUseIsExplained(line: String, code: Int32, word: String) throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "tone.wav")
    let result = try Program.shell("antiphon \(line)", in: folder)
    #expect(result.code == code)
    #expect(result.error.contains(word), "\(result.error)")
  }
}
