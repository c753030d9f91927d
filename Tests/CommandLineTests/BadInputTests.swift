import Foundation
import TestSupport
import Testing

/// A command line in which IN stands for the bad file.
private let commandLines = [
  "resample IN out.wav", "encode IN out.opus", "decode IN out.wav", "levels IN", "info IN",
  "cancel-echo --far IN --near good.wav --out out.wav", "cancel-echo --far good.wav --near IN --out out.wav",
  "simulate --trace IN --opus packets.bin --out out.wav", "run --mic IN --agent good.wav --report out",
]

struct BadInputTests {
  @Test(arguments: commandLines)
  func everyKindOfBadFileIsToldAndLeavesNothing(line: String) throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "good.wav")
    try FileManager.default.createSymbolicLink(
      atPath: folder / "packets.bin", withDestinationPath: data("network/packets.bin"))
    try Data().write(to: folder.url.appendingPathComponent("empty"))
    try Data("This is a letter.\nIt makes no sound.\n".utf8).write(to: folder.url.appendingPathComponent("letter"))
    try folder.data("good.wav").prefix(30).write(to: folder.url.appendingPathComponent("header-cut"))
    try Data((0..<4_000).map { UInt8(truncatingIfNeeded: $0 &* 97 &+ $0 >> 3) }).write(
      to: folder.url.appendingPathComponent("noise"))
    try FileManager.default.createDirectory(atPath: folder / "folder", withIntermediateDirectories: false)
    for name in ["empty", "letter", "header-cut", "noise", "folder", "missing"] {
      let command = line.replacingOccurrences(of: "IN", with: name)
      let result = try Program.shell("antiphon " + command, in: folder)
      #expect(result.code == 1, "\(command): \(result.error)")
      #expect(result.error.contains(name), "\(command): \(result.error)")
      #expect(result.error.count < 400, "\(command): \(result.error)")
      #expect(!folder.holds("out.wav") && !folder.holds("out.opus"), "\(command)")
    }
  }

  @Test func aCutRecordingIsReadAsFarAsItGoes() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 16_000), "whole.wav", encoding: .pcm16)
    try folder.data("whole.wav").dropLast(2 * 12_000).write(to: folder.url.appendingPathComponent("cut.wav"))
    let result = try Program.run("resample", "--rate", "8000", "cut.wav", "out.wav", in: folder)
    #expect(result.code == 0)
    #expect(result.error.contains("cut.wav: the file is cut: its header promises 32000 bytes of audio, 8000 are there"))
    #expect(try folder.read("out.wav").samples.count == 2_000)
  }

  @Test func aHalfWrittenOutputIsRemoved() throws {
    let folder = try Folder()
    let trace = try String(contentsOfFile: data("network/wifi.csv"), encoding: .utf8)
    try (trace + "what,is,this\n").write(toFile: folder / "bad.csv", atomically: true, encoding: .utf8)
    let result = try Program.run(
      "simulate", "--trace", "bad.csv", "--opus", data("network/packets.bin"), "--out", "out.wav", "--stats", "s.json",
      in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("bad.csv:554: 3 columns in place of 4"))
    #expect(!folder.holds("out.wav") && !folder.holds("s.json"))
  }

  /// What cannot be done is told with what to do instead.
  @Test(arguments: [
    ("resample good.wav no/such/out.wav", 1, "no/such/out.wav: its folder is not there; make it first"),
    ("simulate --trace t.csv --opus p.bin --out o.wav", 1, "t.csv: no such file"),
    ("encode good.wav no/out.opus", 1, "its folder is not there"),
    ("resample good.wav no/out.flac", 1, "its folder is not there"),
    ("resample good.wav out.mp3", 2, "written as WAV or FLAC here, not as mp3"),
    ("decode good.opus out.ogg", 2, "written as WAV or FLAC here, not as ogg"),
    ("encode good.wav out.wav", 2, "Ogg Opus is written here, not wav; end the name in .opus"),
    ("resample --encoding float32 good.wav out.flac", 2, "give --encoding pcm24"),
    ("resample good.wav ''", 2, "OUT is empty"),
    ("info zero.wav", 1, "impossible rate"),
    ("levels slow.wav", 1, "slow.wav: its rate of 1000 Hz is outside 8000 to 192000 Hz"),
    ("cancel-echo --far slow.wav --near slow.wav --out out.wav", 1, "slow.wav: its rate of 1000 Hz"),
    ("resample slow.wav out.wav", 1, "slow.wav: its rate of 1000 Hz"),
    ("info \"$(printf 'a\\377.wav')\"", 2, "is not UTF-8 text; rename the file"),
  ])
  func theMessageSaysWhatToDo(line: String, code: Int32, message: String) throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "good.wav", encoding: .pcm16)
    #expect(try Program.run("encode", "good.wav", "good.opus", in: folder).code == 0)
    for (name, rate) in [("zero.wav", UInt32(0)), ("slow.wav", 1_000)] {
      var bytes = try folder.data("good.wav")
      let field = try #require(bytes.range(of: Data("fmt ".utf8))).upperBound + 8
      bytes.replaceSubrange(field..<field + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: rate >> (8 * $0)) })
      try bytes.write(to: folder.url.appendingPathComponent(name))
    }
    let result = try Program.shell("antiphon " + line, in: folder)
    #expect(result.code == code, "\(line): \(result.error)")
    #expect(result.error.contains(message), "\(line): \(result.error)")
    #expect(!folder.holds("out.wav") && !folder.holds("out.flac") && !folder.holds("out.mp3"))
  }
}
