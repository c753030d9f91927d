import Foundation
import RealtimeCore
import TestSupport
import Testing

private let commands = [
  "run", "simulate", "replay", "capture-info", "resample", "cancel-echo", "encode", "decode", "levels", "info",
  "devices",
  "monitor", "loopback", "bench",
]
private let deviceCommands = ["devices", "monitor", "loopback"]

struct HelpTests {
  @Test func overviewListsEveryCommand() throws {
    let folder = try Folder()
    let help = try Program.run("--help", in: folder)
    #expect(help.code == 0)
    for command in commands { #expect(help.text.contains("  \(command) ")) }
    let none = try Program.shell("antiphon", in: folder)
    #expect(none.code == 2)
    #expect(none.output.isEmpty)
    #expect(none.error.contains("usage: antiphon COMMAND"))
  }

  @Test(arguments: commands.filter { !deviceCommands.contains($0) })
  func theExampleInHelpWorks(command: String) throws {
    let folder = try Folder()
    try FileManager.default.createSymbolicLink(
      atPath: folder / "testdata", withDestinationPath: testdata.path)
    let help = try Program.run(command, "--help", in: folder)
    #expect(help.code == 0)
    #expect(help.error.isEmpty)
    let lines = help.text.components(separatedBy: "\n")
    let heading = try #require(lines.firstIndex(of: "example:"))
    let example = lines[heading + 1].trimmingCharacters(in: .whitespaces)
    let result = try Program.shell(example.replacingOccurrences(of: "--seconds 5", with: "--seconds 1"), in: folder)
    #expect(result.code == 0, "\(example): \(result.error)")
    #expect(!result.output.isEmpty)
  }

  @Test(arguments: commands)
  func aWrongOptionIsAUsageError(command: String) throws {
    let result = try Program.run(command, "--no-such-option", in: Folder())
    #expect(result.code == 2)
    #expect(result.output.isEmpty)
    #expect(result.error.contains("unknown option --no-such-option"))
    #expect(result.error.contains("antiphon \(command) --help"))
  }

  @Test(arguments: commands.filter { !(["run", "bench"] + deviceCommands).contains($0) })
  func missingArgumentsAreAUsageError(command: String) throws {
    let result = try Program.run(command, in: Folder())
    #expect(result.code == 2)
    #expect(result.error.contains("is missing"))
  }

  /// A full disk is told; a closed standard error is no reason to end.
  @Test func outputThatCannotBeWrittenIsAFailure() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "tone.wav")
    try folder.data("tone.wav").prefix(3_001).write(to: folder.url.appendingPathComponent("cut.wav"))
    for line in ["--help", "info --help", "info tone.wav", "info --json tone.wav", "levels --fast tone.wav"] {
      let result = try Program.shell("antiphon \(line) > /dev/full", in: folder)
      #expect(result.code == 1, "\(line)")
      #expect(result.error.contains("cannot write to standard output"), "\(line): \(result.error)")
    }
    for stream in ["2>&-", "2>/dev/full"] {
      #expect(try Program.shell("antiphon info cut.wav \(stream)", in: folder).code == 0, "\(stream)")
    }
  }

  /// The last one would win unseen.
  @Test func anOptionGivenTwiceIsAUsageError() throws {
    let folder = try Folder()
    let result = try Program.run("resample", "--rate", "8000", "--rate=16000", "in.wav", "out.wav", in: folder)
    #expect(result.code == 2)
    #expect(result.error.contains("--rate is given twice: '8000' and '16000'"))
    let names = try Program.run(
      "capture-info", "--payload-type", "96=opus", "--payload-type", "97=nonsense", "x.pcap", in: folder)
    #expect(names.code == 2 && names.error.contains("nonsense"))
    // An empty name would be the working folder.
    let empty = try Program.run("run", "--report", "", in: folder)
    #expect(empty.code == 2 && empty.error.contains("--report needs a value: --report DIR"))
  }

  @Test func anUnknownCommandIsAUsageError() throws {
    let result = try Program.run("resmaple", in: Folder())
    #expect(result.code == 2)
    #expect(result.error.contains("no command 'resmaple'"))
  }
}
