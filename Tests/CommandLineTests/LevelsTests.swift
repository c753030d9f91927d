import Foundation
import RealtimeCore
import TestSupport
import Testing

struct LevelsTests {
  @Test func linesComeAtTheAskedRateAndTellTheLevel() throws {
    let folder = try Folder()
    // A full-scale sine for a second, silence for another.
    let tone = sine(1_000, sampleRate: .hz16000, count: 16_000, amplitude: 1)
    try folder.write(tone + [Float](repeating: 0, count: 16_001), "in.wav")
    let result = try Program.run("levels", "--bands", "5", "--rate-hz", "25", "in.wav", in: folder)
    #expect(result.code == 0)
    #expect(result.error.isEmpty)
    let readings = try result.lines.map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    #expect(readings.count == 51, "two seconds, and one sample more")
    #expect(readings[24]["time"] as? Double == 1)
    #expect(readings[24]["peak"] as? Double == 0)
    let rms = try #require(readings[24]["rms"] as? Double)
    #expect(abs(rms + 3) < 0.5)
    let (loud, quiet) = (
      try #require(readings[24]["bands"] as? [Double]), try #require(readings[49]["bands"] as? [Double])
    )
    #expect(loud.count == 5)
    #expect(loud.max() == 1)
    #expect(quiet.allSatisfy { $0 < 0.01 })
  }

  @Test func silenceHasNoDecibels() throws {
    let folder = try Folder()
    try folder.write([Float](repeating: 0, count: 1_600), "in.wav")
    let result = try Program.run("levels", "--rate-hz", "10", "in.wav", in: folder)
    #expect(
      result.text
        == "{\"bands\":[0.000,0.000,0.000,0.000,0.000,0.000,0.000,0.000,0.000,0.000],\"peak\":null,\"rms\":null,\"time\":0.100}\n"
    )
  }

  @Test func aReaderThatLeavesIsNoError() throws {
    let result = try Program.shell("antiphon levels \(data("speech/mic.wav")) | head -n 2", in: Folder())
    #expect(result.code == 0)
    #expect(result.lines.count == 2)
    #expect(result.error.isEmpty)
  }

  @Test(.enabled(if: pseudoTerminalsWork, "this machine has no /dev/pts"))
  func aTerminalGetsMovingBarsAndItsCursorBack() throws {
    let result = try Program.shell(
      "script -qec 'antiphon levels --fast \(data("speech/mic.wav"))' /dev/null < /dev/null", in: Folder())
    #expect(result.code == 0)
    #expect(result.text.contains("\u{1B}[?25l"))
    #expect(result.text.contains("█"))
    #expect(result.text.contains("\u{1B}[9A"), "drawn in place")
    #expect(result.text.contains("12.04 s"))
    #expect(result.text.hasSuffix("\u{1B}[?25h"))
  }

  @Test(.enabled(if: pseudoTerminalsWork, "this machine has no /dev/pts"))
  func theTerminalViewKeepsTimeAndEndsOnInterruption() throws {
    let start = ContinuousClock.now
    let result = try Program.shell(
      "script -qec 'timeout --foreground -s INT 1 antiphon levels \(data("speech/mic.wav"))' /dev/null < /dev/null",
      in: Folder())
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(result.text.contains("0.50 s"))
    #expect(!result.text.contains("4.00 s"), "no faster than the sound")
    #expect(result.text.contains("\u{1B}[?25h"))
  }
}

/// Some containers have a /dev without pseudo-terminals.
private let pseudoTerminalsWork =
  (try? Program.shell("script -qec true /dev/null < /dev/null", in: Folder()))?.code == 0
