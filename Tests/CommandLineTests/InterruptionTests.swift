import Foundation
import TestSupport
import Testing

/// A signal ends the work while its input is still coming.
struct InterruptionTests {
  /// Feeds the first half of a recording through a pipe, waits for the output's draft to appear, and sends the signal.
  private func interrupt(_ command: String, with signal: String, in folder: Folder) throws -> String {
    try Program.shell(
      """
      mkfifo in; antiphon \(command) & program=$!
      exec 3> in; head -c 200000 \(data("speech/mic.wav")) >&3
      while [ -z "$(find . -name '.antiphon-*')" ]; do :; done
      kill -\(signal) $program; wait $program; echo $?
      """, in: folder
    ).text
  }

  /// All that a test's folder holds beside the pipe.
  private func files(of folder: Folder) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).filter { $0 != "in" }.sorted()
  }

  @Test(arguments: ["encode in out.opus", "resample in out.wav", "resample in out.flac"])
  func nothingHalfWrittenStays(command: String) throws {
    for (signal, number) in [("TERM", 15), ("HUP", 1)] {
      let folder = try Folder()
      #expect(try interrupt(command, with: signal, in: folder) == "\(128 + number)\n")
      #expect(try files(of: folder) == [])
    }
  }

  /// Until the new file is complete the old one is there, whatever happens.
  @Test func whatStoodThereStaysUntilTheWorkIsDone() throws {
    let folder = try Folder()
    let old = Data("an old recording".utf8)
    try old.write(to: folder.url.appendingPathComponent("out.wav"))
    _ = try interrupt("resample in out.wav", with: "TERM", in: folder)
    #expect(try folder.data("out.wav") == old)
    #expect(try files(of: folder) == ["out.wav"])

    try Data("RIFF, and nothing behind it".utf8).write(to: folder.url.appendingPathComponent("a.wav"))
    #expect(try Program.run("resample", "a.wav", "out.wav", in: folder).code == 1)
    #expect(try folder.data("out.wav") == old)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder / "out.wav")
    #expect(
      try Program.shell("ln -s out.wav link.wav; antiphon resample \(data("speech/mic.wav")) link.wav", in: folder).code
        == 0)
    #expect(try folder.read("out.wav").samples.count > 100_000, "a link is followed, not replaced")
    let mode = try FileManager.default.attributesOfItem(atPath: folder / "out.wav")[.posixPermissions] as? Int
    #expect(mode == 0o640)
    #expect(try files(of: folder) == ["a.wav", "link.wav", "out.wav"])
  }

  /// The folders that were made go as well.
  @Test func anInterruptedCallLeavesNoFolder() throws {
    let folder = try Folder()
    let outcome = try Program.shell(
      """
      mkfifo in
      antiphon run --mic in --agent \(data("speech/agent.wav")) --echo-path none --report new/call & program=$!
      exec 3> in; head -c 200000 \(data("speech/mic.wav")) >&3
      while [ "$(find . -name '.antiphon-*' | wc -l)" -lt 3 ]; do :; done
      kill -TERM $program; wait $program; echo $?
      """, in: folder)
    #expect(outcome.text == "143\n")
    #expect(try files(of: folder) == [])
  }

  /// What never ends is refused by its first bytes.
  @Test(arguments: ["info /dev/zero", "replay /dev/zero --out x.wav", "info - < /dev/zero"])
  func anEndlessDeviceIsRefused(command: String) throws {
    let folder = try Folder()
    let outcome = try Program.shell("timeout 20 antiphon \(command)", in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("not"))
  }

  /// Only what is sound by its name is written as sound.
  @Test(arguments: ["page.html", "noending", "a.mp3"])
  func soundIsNotWrittenUnderAnotherName(output: String) throws {
    let folder = try Folder()
    try Data("<html>".utf8).write(to: folder.url.appendingPathComponent(output))
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "a.wav")
    let outcome = try Program.run("cancel-echo", "--far", "a.wav", "--near", "a.wav", "--out", output, in: folder)
    #expect(outcome.code == 2)
    #expect(try folder.data(output) == Data("<html>".utf8))
  }

  @Test func aFullDiskIsToldInPlainWords() throws {
    let folder = try Folder()
    let outcome = try Program.shell("antiphon resample \(data("speech/mic.wav")) - > /dev/full", in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("No space left") && !outcome.error.contains("operation"))
  }

  @Test func aCallThatFailsLeavesNoFolder() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "a.wav")
    for line in [
      "run --mic missing.wav --agent a.wav --report new/call",
      "cancel-echo --far a.wav --near no --out o.wav --report new",
      "run --mic a.wav --agent a.wav --echo-path a.wav --network lost.csv --report new",
    ] {
      #expect(try Program.shell("antiphon " + line, in: folder).code == 1)
      #expect(!folder.holds("new"), "\(line)")
    }
  }

  @Test func aReportThatCannotBeWrittenLeavesNoSound() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 16_000), "a.wav")
    try FileManager.default.createDirectory(atPath: folder / "call/report.html", withIntermediateDirectories: true)
    let result = try Program.run(
      "run", "--mic", "a.wav", "--agent", "a.wav", "--echo-path", "none", "--report", "call", in: folder)
    #expect(result.code == 1)
    #expect(!folder.holds("call/played.wav") && !folder.holds("call/heard.wav") && !folder.holds("call/microphone.wav"))
  }
}
