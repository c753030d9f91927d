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
    #expect(result.error.contains("a stream"))
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
