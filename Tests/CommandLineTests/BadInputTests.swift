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
}
