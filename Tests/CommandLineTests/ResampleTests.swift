import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

struct ResampleTests {
  @Test(arguments: [8_000, 44_100, 48_000])
  func lengthIsExactAndTimeIsKept(rate: Int) throws {
    let folder = try Folder()
    let tone = sine(440, sampleRate: .hz16000, count: 16_001)
    try folder.write(tone, "in.wav")
    let result = try Program.run("resample", "--rate", "\(rate)", "in.wav", "out.wav", in: folder)
    #expect(result.code == 0)
    #expect(result.error.isEmpty)
    let out = try folder.read("out.wav")
    #expect(out.samples.count == (16_001 * rate + 15_999) / 16_000)
    #expect(out.format.sampleRate.hertz == rate)
    #expect(out.encoding == "WAV, float 32 bit", "floats stay floats")
    let wanted = sine(440, sampleRate: try SampleRate(hertz: rate), count: out.samples.count)
    let middle = rate / 10..<rate * 9 / 10
    #expect(signalToNoise(Array(wanted[middle]), Array(out.samples[middle])) > 80, "the same tone at the same times")
  }

  @Test func channelsStayApart() throws {
    let folder = try Folder()
    let (left, right) = (
      sine(300, sampleRate: .hz48000, count: 24_000), sine(1_700, sampleRate: .hz48000, count: 24_000)
    )
    try folder.write(zip(left, right).flatMap { [$0, $1] }, "in.wav", rate: .hz48000, channels: 2, encoding: .pcm16)
    #expect(try Program.run("resample", "--rate", "16000", "in.wav", "out.wav", in: folder).code == 0)
    let out = try folder.read("out.wav")
    #expect(out.format.channelCount == 2)
    #expect(out.encoding == "WAV, PCM 16 bit")
    let heard = stride(from: 1, to: out.samples.count, by: 2).map { out.samples[$0] }
    let wanted = sine(1_700, sampleRate: .hz16000, count: heard.count)
    #expect(signalToNoise(Array(wanted[1_000..<7_000]), Array(heard[1_000..<7_000])) > 70)
  }

  @Test func numbersThatAreNoneAreSilencedAndCounted() throws {
    let folder = try Folder()
    var samples = [Float](repeating: 0.25, count: 4_800)
    samples[1_000] = .nan
    samples[2_000] = .infinity
    try folder.write(samples, "in.wav", rate: .hz48000)
    let result = try Program.run("resample", "--rate", "16000", "--json", "in.wav", "out.wav", in: folder)
    #expect(result.code == 0)
    #expect(try result.json()["nonFiniteSamples"] as? Int == 2)
    #expect(result.error.contains("in.wav: 2 samples are not finite numbers"))
    #expect(try folder.read("out.wav").samples.allSatisfy { $0.isFinite && abs($0) < 0.5 })
  }

  @Test(arguments: ["0", "-1", "7999", "1000000000", "1e4", "fast", ""])
  func absurdRatesAreUsageErrors(rate: String) throws {
    let folder = try Folder()
    try folder.write([0, 0], "in.wav")
    let result = try Program.run("resample", "--rate=\(rate)", "in.wav", "out.wav", in: folder)
    #expect(result.code == 2)
    let words = rate.isEmpty ? "--rate needs a value" : "--rate takes a whole number from 8000 to 192000"
    #expect(result.error.contains(words))
    #expect(!folder.holds("out.wav"))
  }

  @Test func pipesCarryNothingButAudio() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 16_000), "in.wav", encoding: .pcm16)
    let result = try Program.run(
      "resample", "--rate", "8000", "--json", "-", "-", in: folder, input: folder.data("in.wav"))
    #expect(result.code == 0)
    #expect(result.output.starts(with: Data("RIFF".utf8)))
    #expect(!result.text.contains("timesRealTime"))
    #expect(result.error.contains("\"outputFrames\":8000"))
    try result.output.write(to: folder.url.appendingPathComponent("piped.wav"))
    #expect(try folder.read("piped.wav").samples.count == 8_000)
  }

  @Test func theInputIsNeverOverwritten() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "in.wav")
    try FileManager.default.createSymbolicLink(atPath: folder / "link.wav", withDestinationPath: folder / "in.wav")
    let before = try folder.data("in.wav")
    for name in ["in.wav", "./in.wav", "link.wav"] {
      let result = try Program.run("resample", "in.wav", name, in: folder)
      #expect(result.code == 2)
      #expect(result.error.contains("is the input"))
      #expect(try folder.data("in.wav") == before)
    }
  }

  @Test(arguments: ["/dev/full", "no/such/folder/out.wav", "."])
  func outputsThatCannotBeWrittenAreTold(output: String) throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 160_000), "in.wav")
    let result = try Program.run("resample", "in.wav", output, in: folder)
    #expect(result.code == 1)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("antiphon resample: \(output): "))
  }
}
