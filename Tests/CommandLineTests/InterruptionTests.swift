import Foundation
import TestSupport
import Testing

/// A signal ends the work while its input is still coming.
struct InterruptionTests {
  /// Feeds the first half of a recording through a pipe, waits for the output to appear, and sends the signal.
  private func interrupt(_ command: String, output: String, with signal: String, in folder: Folder) throws -> String {
    try Program.shell(
      """
      mkfifo in; antiphon \(command) & program=$!
      exec 3> in; head -c 200000 \(data("speech/mic.wav")) >&3
      while [ ! -e \(output) ]; do :; done
      kill -\(signal) $program; wait $program; echo $?
      """, in: folder
    ).text
  }

  @Test(arguments: [
    ("encode in out.opus", "out.opus"), ("resample in out.wav", "out.wav"), ("resample in out.flac", "out.flac"),
  ])
  func nothingHalfWrittenStays(command: String, output: String) throws {
    for (signal, number) in [("TERM", 15), ("HUP", 1)] {
      let folder = try Folder()
      #expect(try interrupt(command, output: output, with: signal, in: folder) == "\(128 + number)\n")
      #expect(!folder.holds(output))
    }
  }

  @Test func aCallThatFailsLeavesNoFolder() throws {
    let folder = try Folder()
    try folder.write(sine(440, sampleRate: .hz16000, count: 1_600), "a.wav")
    for line in [
      "run --mic missing.wav --agent a.wav --report new/call", "cancel-echo --far a.wav --near no --out o --report new",
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
