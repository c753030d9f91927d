import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

struct OpusTests {
  @Test func aVoiceComesBackAtItsLengthAndLevel() throws {
    let folder = try Folder()
    let voice = try Recording("speech/mic.wav").samples
    let encoded = try Program.run(
      "encode", "--bitrate", "48000", "--json", data("speech/mic.wav"), "v.opus", in: folder)
    #expect(encoded.code == 0)
    let rate = try #require(try encoded.json()["bitsPerSecond"] as? Double)
    #expect((30_000...60_000).contains(rate))
    let decoded = try Program.run("decode", "--rate", "16000", "--json", "v.opus", "v.wav", in: folder)
    #expect(decoded.code == 0)
    #expect(try decoded.json()["outputFrames"] as? Int == voice.count)
    let out = try folder.read("v.wav").samples
    #expect(out.count == voice.count)
    #expect(signalToNoise(voice, out) > 8)
  }

  @Test func constantBitrateMakesEqualPackets() throws {
    let folder = try Folder()
    let words = ["--cbr", "--bitrate", "24000", "--frame-ms", "40", "--title", "A voice"].joined(separator: " ")
    let shellWords = words.replacingOccurrences(of: "A voice", with: "'A voice'")
    #expect(try Program.shell("antiphon encode \(shellWords) \(data("speech/mic.wav")) v.opus", in: folder).code == 0)
    var packets = try OggOpusPackets(path: folder / "v.opus")
    var wholeCount = 0
    while let packet = try packets.next() {
      // libopusenc may end a stream with a shorter packet; the rate stays.
      #expect(packet.bytes.count * 8 * 48_000 == 24_000 * packet.sampleCount)
      wholeCount += packet.sampleCount == 1_920 ? 1 : 0
    }
    #expect(wholeCount >= 300)
    #expect(try Program.run("info", "v.opus", in: folder).text.contains("TITLE=A voice"))
  }

  @Test func pipesCarryNothingButAudio() throws {
    let result = try Program.shell(
      "antiphon encode - - < \(data("speech/mic.wav")) | antiphon decode --rate 16000 - - | antiphon info --json -",
      in: Folder())
    #expect(result.code == 0)
    #expect(try result.json()["frames"] as? Int == 192_720)
    #expect(result.error.contains("kbit/s"))
  }

  /// libopusfile's own mix of so many channels goes beyond full scale.
  @Test func eightChannelsAreMixedToTheirMean() throws {
    let folder = try Folder()
    let tone = sine(440, sampleRate: .hz48000, count: 48_000).map { 0.9 * $0 }
    try folder.write(tone.flatMap { [Float](repeating: $0, count: 8) }, "eight.wav", rate: .hz48000, channels: 8)
    #expect(try Program.run("encode", "eight.wav", "eight.opus", in: folder).code == 0)
    let decoded = try Program.run("decode", "--json", "eight.opus", "one.wav", in: folder)
    #expect(try decoded.json()["clippedSamples"] as? Int == 0)
    // The low-frequency channel keeps little of 440 Hz.
    let level = powerDecibels(Array(try folder.read("one.wav").samples[9_600..<38_400])) - powerDecibels(tone)
    #expect((-2...0).contains(level))
  }

  @Test func aCutOpusFileIsDecodedAsFarAsItGoes() throws {
    let folder = try Folder()
    #expect(try Program.run("encode", data("speech/mic.wav"), "v.opus", in: folder).code == 0)
    let whole = try folder.data("v.opus")
    try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("cut.opus"))
    let result = try Program.run("decode", "cut.opus", "cut.wav", in: folder)
    #expect(result.code == 0)
    let seconds = Double(try folder.read("cut.wav").samples.count) / 48_000
    #expect((4...8).contains(seconds))
    let end = "the stream has no end: the file was cut"
    #expect(result.error.contains("cut.opus: " + end))
    for line in ["info cut.opus", "resample cut.opus b.wav", "encode cut.opus b.opus", "decode - b.wav < cut.opus"] {
      let told = try Program.shell("antiphon " + line, in: folder)
      #expect(told.code == 0 && told.error.contains(end), "\(line): \(told.error)")
    }
    for line in [
      "info v.opus", "resample v.opus b.wav", "decode - b.wav < v.opus", "cat v.opus | antiphon decode - b.wav",
    ] {
      let told = try Program.shell(line.hasPrefix("cat") ? line : "antiphon " + line, in: folder)
      #expect(told.code == 0 && told.error.isEmpty, "\(line): \(told.error)")
    }
  }

  @Test(arguments: ["--frame-ms=15", "--complexity=11", "--bitrate=10", "--bitrate=600000"])
  func impossibleSettingsAreUsageErrors(option: String) throws {
    let folder = try Folder()
    let result = try Program.run("encode", option, data("speech/mic.wav"), "v.opus", in: folder)
    #expect(result.code == 2)
    #expect(result.error.contains(String(option.split(separator: "=")[0])))
    #expect(!folder.holds("v.opus"))
  }

  @Test func aFullDiskIsTold() throws {
    let folder = try Folder()
    let encoded = try Program.run("encode", data("speech/mic.wav"), "/dev/full", in: folder)
    #expect(encoded.code == 1)
    #expect(encoded.error.contains("No space left on device"))
    #expect(try Program.run("encode", data("speech/mic.wav"), "v.opus", in: folder).code == 0)
    let decoded = try Program.run("decode", "v.opus", "/dev/full", in: folder)
    #expect(decoded.code == 1)
    #expect(decoded.error.contains("No space left on device"))
  }
}
