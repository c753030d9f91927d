import Foundation
import RealtimeCore
import TestSupport
import Testing

struct EchoTests {
  /// The far end speaks; the microphone hears it 30 ms later, quieter.
  private func write(_ folder: Folder, samples: Int? = nil) throws {
    let speech = try Recording("speech/agent.wav").samples
    let far = Array(speech.prefix(samples ?? speech.count))
    try folder.write(far, "far.wav", encoding: .pcm16)
    let echo = [Float](repeating: 0, count: 480) + far.dropLast(480).map { 0.4 * $0 }
    try folder.write(echo, "near.wav", encoding: .pcm16)
  }

  @Test func anEchoGoesAway() throws {
    let folder = try Folder()
    try write(folder)
    let result = try Program.run(
      "cancel-echo", "--far", "far.wav", "--near", "near.wav", "--out", "out.wav", "--json", "--report", "page",
      in: folder)
    #expect(result.code == 0)
    let told = try result.json()
    let enhancement = try #require(told["echoReturnLossEnhancement"] as? Double)
    #expect(enhancement > 15)
    #expect(told["latencyMilliseconds"] as? Double == 10)
    let (near, out) = (try folder.read("near.wav"), try folder.read("out.wav"))
    #expect(out.samples.count == near.samples.count)
    #expect(out.format == near.format)
    #expect(out.encoding == "WAV, PCM 16 bit")
    let later = 80_000..<near.samples.count
    #expect(powerDecibels(near.samples[later]) - powerDecibels(out.samples[later]) > 20)
    #expect(folder.holds("page/report.html") && folder.holds("page/result.json"))
  }

  @Test func withoutAFarEndTheVoiceStays() throws {
    let folder = try Folder()
    let voice = try Recording("speech/mic.wav").samples
    try folder.write(voice, "near.wav", encoding: .pcm16)
    try folder.write([Float](repeating: 0, count: 160), "far.wav", encoding: .pcm16)
    let result = try Program.run(
      "cancel-echo", "--far", "far.wav", "--near", "near.wav", "--out", "out.wav", in: folder)
    #expect(result.code == 0)
    #expect(result.text.contains("unknown, for the far end is silent"))
    let out = try folder.read("out.wav").samples
    #expect(abs(powerDecibels(voice) - powerDecibels(out)) < 1)
  }

  @Test(arguments: [1, 159, 161, 16_001])
  func anyLengthIsKept(count: Int) throws {
    let folder = try Folder()
    try folder.write([Float](repeating: 0.1, count: count), "near.wav", encoding: .pcm16)
    try folder.write([Float](repeating: 0.1, count: 400), "far.wav", encoding: .pcm16)
    #expect(
      try Program.run("cancel-echo", "--far", "far.wav", "--near", "near.wav", "--out", "out.wav", in: folder).code == 0
    )
    #expect(try folder.read("out.wav").samples.count == count)
  }

  @Test func ratesMustAgreeAndBePossible() throws {
    let folder = try Folder()
    try folder.write([0, 0], "a.wav", rate: .hz16000)
    try folder.write([0, 0], "b.wav", rate: .hz48000)
    try folder.write([0, 0], "c.wav", rate: .hz44100)
    let differ = try Program.run("cancel-echo", "--far", "a.wav", "--near", "b.wav", "--out", "out.wav", in: folder)
    #expect(differ.code == 1)
    #expect(differ.error.contains("the rates differ: a.wav has 16000 Hz, b.wav has 48000 Hz"))
    let odd = try Program.run("cancel-echo", "--far", "c.wav", "--near", "c.wav", "--out", "out.wav", in: folder)
    #expect(odd.code == 1)
    #expect(odd.error.contains("works at 8000, 16000, 24000, 32000, 48000 Hz, not 44100 Hz"))
    #expect(!folder.holds("out.wav"))
  }

  @Test func wrongSettingsAreUsageErrors() throws {
    let folder = try Folder()
    for option in ["--delay-ms=501", "--delay-ms=x", "--engine=magic", "--tail-ms=1"] {
      let result = try Program.run(
        "cancel-echo", "--far", "a", "--near", "b", "--out", "c", option, in: folder)
      #expect(result.code == 2)
      #expect(result.error.contains("takes"))
    }
  }
}
