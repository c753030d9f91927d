import CallReport
import Foundation
import ReportProbe
import RealtimeCore
import TestSupport
import Testing

/// The main job, as a user starts it.
struct RunTests {
  private static let agent = data("speech/agent.wav")
  private static let room = data("rooms/room.wav")

  /// The first seconds of the two recordings, so that many calls take little time.
  private static func shortSpeech(in folder: Folder) throws {
    for name in ["agent", "mic"] {
      try folder.write(Array(Recording("speech/\(name).wav").samples.prefix(56_000)), "\(name).wav", encoding: .pcm16)
    }
  }

  private static func call(_ options: String..., in folder: Folder) throws -> Program.Outcome {
    let line = "antiphon run --mic mic.wav --agent agent.wav --echo-path \(room) --json "
    return try Program.shell(line + options.joined(separator: " "), in: folder)
  }

  @Test func aNetworkThatLosesAllIsTold() throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    let trace = "seq,timestamp,send_ms,arrival_ms\n" + (0..<50).map { "\($0),\(960 * $0),\(20 * $0),\n" }.joined()
    try trace.write(toFile: folder / "lost.csv", atomically: true, encoding: .utf8)
    let outcome = try Program.shell(
      "antiphon run --mic mic.wav --agent agent.wav --network lost.csv --echo-path none --report call", in: folder)
    #expect(outcome.code == 0)
    #expect(outcome.error.contains("not one packet arrived from agent to user"))
    #expect(outcome.text.contains("nothing arrived"))
    #expect(try CallReport(page: folder.data("call/report.html")).verdict?.grade == .poor)
  }

  /// 20 ms of uncompressed sound at 48 kHz are longer than most packets, and arrive all the same.
  @Test(arguments: ["l16", "l24"])
  func longPacketsAreHeard(codec: String) throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    let result = try Self.call("--codec \(codec) --rate 48000 --network clean", in: folder).json()
    for (way, likeness) in [("agentToUser", 0.9), ("userToAgent", 0.5)] {
      let direction = try #require(result[way] as? [String: Any])
      #expect(direction["packetsRefused"] as? Int == 0)
      #expect(try #require(direction["secondsPlayed"] as? Double) > 2)
      #expect(try #require(direction["correlation"] as? Double) > likeness, "\(way)")
    }
    #expect((result["warnings"] as? [String]) == [])
  }

  /// A tone fits at every period, so there is no delay to be measured; the verdict goes by the stages' sum.
  @Test func aToneHasNoMouthToEarDelay() throws {
    let folder = try Folder()
    for (name, hertz) in [("mic", 1_000.0), ("agent", 700)] {
      try folder.write(sine(hertz, sampleRate: .hz16000, count: 48_000), "\(name).wav", encoding: .pcm16)
    }
    let outcome = try Program.shell(
      "antiphon run --mic mic.wav --agent agent.wav --echo-path none --network clean --report call --json", in: folder)
    let result = try outcome.json()
    for way in ["agentToUser", "userToAgent"] {
      let direction = try #require(result[way] as? [String: Any])
      #expect(direction["mouthToEarMedianMilliseconds"] == nil)
      #expect((20...200).contains(try #require(direction["stagesMilliseconds"] as? Double)))
    }
    let report = try CallReport(page: folder.data("call/report.html"))
    #expect(report.verdict?.grade == .good)
    // Without a room there is no echo to take away.
    #expect(report.figures.first { $0.name == "Echo taken away" }?.value == nil)
    #expect(report.plots.count == 1)
    #expect(!report.statistics.contains { $0.name.hasPrefix("remote-") })
  }

  /// Everything at once: the recordings that come with the sources, files, JSON and the page in a browser.
  @Test func theCallOfTheRecordingsMakesAReportThatDrawsAllOfIt() throws {
    let folder = try Folder()
    let outcome = try Program.run(
      "run", "--mic", data("speech/mic.wav"), "--agent", Self.agent, "--echo-path", Self.room, "--user-begins", "5",
      "--report", "call", "--json", in: folder)
    #expect(outcome.code == 0)
    let result = try outcome.json()
    #expect(try folder.data("call/result.json") == outcome.output)
    let seconds = try #require(result["durationSeconds"] as? Double)
    for name in ["played", "microphone", "heard"] {
      let sound = try folder.read("call/\(name).wav")
      #expect(sound.format == .mono(.hz48000))
      #expect(abs(Double(sound.samples.count) / 48_000 - seconds) < 0.001)
      #expect((-40 ... -15).contains(powerDecibels(sound.samples)), "\(name) carries a voice")
    }
    #expect(try #require(result["echoReturnLossEnhancement"] as? Double) > 40)
    // The user talks against the agent's echo, which costs likeness.
    for (way, likeness) in [("agentToUser", 0.85), ("userToAgent", 0.8)] {
      let direction = try #require(result[way] as? [String: Any])
      #expect(try #require(direction["correlation"] as? Double) > likeness)
      #expect((40...250).contains(try #require(direction["mouthToEarMedianMilliseconds"] as? Double)))
    }

    let page = try folder.data("call/report.html")
    let report = try CallReport(page: page)
    // What the page shows is what the JSON tells.
    let concealment =
      try #require(
        (result["near"] as? [String: Any])?["inbound-rtp"] as? [String: Any])["concealedSamples"] as? Int
    #expect(
      report.statistics.contains { group in
        group.entries.contains { $0.name == "concealedSamples" && $0.value == concealment.map(Double.init) }
      })
    let way = try #require(result["microphoneToFarEar"] as? [[String: Any]])
    #expect(report.latency.contains { $0.stages.map(\.name) == way.compactMap { $0["stage"] as? String } })
    let costs = try #require(result["costs"] as? [[String: Any]])
    #expect(report.cost?.stages.map(\.name) == costs.compactMap { $0["stage"] as? String })
    for (stage, cost) in zip(try #require(report.cost).stages, costs) {
      #expect(abs(try #require(stage.sharePercent) - (cost["sharePercent"] as? Double ?? 0)) < 1e-6, "\(stage.name)")
    }
    let lost = try #require(report.strips.first { $0.kind == .loss })
    #expect(lost.eventCount == result["packetsLostToUser"] as? Int)
    #expect(abs(lost.totalSeconds - 0.02 * Double(lost.eventCount)) < 1e-9)
    let repaired = try #require(report.strips.first { $0.kind == .concealment })
    #expect(abs(repaired.totalSeconds - Double(concealment ?? 0) / 48_000) < 1e-6)
    #expect(report.tracks.count >= 4)
    #expect(report.tracks.allSatisfy { $0.audio != nil && $0.waveform != nil && $0.spectrogram != nil })
    #expect(report.tracks.contains { $0.bands != nil })
    #expect(report.plots.count >= 2)
    for (width, isDark) in [(390, true), (1_440, false)] {
      let check = try Browser.open(page, width: width, isDark: isDark)
      #expect(check.errors == [])
      #expect(check.plots == report.expectedPlots)
      #expect(check.innerWidth == width && check.scrollWidth <= width)
      #expect(check.theme == (isDark ? "dark" : "light"))
    }
  }

  @Test func everyCodecCarriesBothVoicesOverEveryNetwork() throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    for codec in ["opus", "pcmu", "pcma", "g722", "l16", "l24"] {
      for network in ["clean", "wifi", "lte", "lossy"] {
        let outcome = try Self.call("--codec", codec, "--network", network, "--report", "out", in: folder)
        #expect(outcome.code == 0, "\(codec) over \(network): \(outcome.error)")
        let result = try outcome.json()
        for way in ["agentToUser", "userToAgent"] {
          let direction = try #require(result[way] as? [String: Any])
          let likeness = try #require(direction["correlation"] as? Double)
          #expect(likeness > (network == "lossy" ? 0.6 : 0.8), "\(codec) over \(network), \(way)")
          if network == "clean" { #expect(direction["concealedPercent"] as? Double == 0) }
        }
      }
    }
  }

  /// Long enough for the delay to come down to its least: no packet may then be late for the device's calls.
  @Test(arguments: ["opus", "pcmu", "l16"])
  func aCleanNetworkConcealsNothing(codec: String) throws {
    let folder = try Folder()
    let outcome = try Program.run(
      "run", "--mic", data("speech/mic.wav"), "--agent", Self.agent, "--echo-path", Self.room, "--network", "clean",
      "--codec", codec, "--report", "out", "--json", in: folder)
    #expect(outcome.code == 0)
    let result = try outcome.json()
    for way in ["agentToUser", "userToAgent"] {
      #expect((result[way] as? [String: Any])?["concealedPercent"] as? Double == 0, "\(way)")
    }
  }

  @Test(arguments: [16_000, 24_000, 48_000])
  func everyRateAndATraceServe(rate: Int) throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    // Every tenth packet is lost, and each takes 30 ms.
    let rows = (0..<250).map { "\($0),\($0 * 960),\($0 * 20),\($0 % 10 == 9 ? "" : String($0 * 20 + 30))" }
    try Data(("seq,timestamp,send_ms,arrival_ms\n" + rows.joined(separator: "\n") + "\n").utf8)
      .write(to: folder.url.appendingPathComponent("trace.csv"))
    let outcome = try Self.call("--rate", "\(rate)", "--network", "trace.csv", "--report", "out", in: folder)
    #expect(outcome.code == 0, "\(outcome.error)")
    let result = try outcome.json()
    #expect(result["engineRate"] as? Int == rate)
    let direction = try #require(result["agentToUser"] as? [String: Any])
    #expect(abs(try #require(direction["networkLossPercent"] as? Double) - 10) < 1)
  }

  @Test func theSameSeedGivesTheSameCall() throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    for (name, seed) in [("a", "7"), ("b", "7"), ("c", "8")] {
      #expect(try Self.call("--network", "lossy", "--seed", seed, "--report", name, in: folder).code == 0)
    }
    #expect(try folder.data("a/played.wav") == folder.data("b/played.wav"))
    #expect(try folder.data("a/heard.wav") == folder.data("b/heard.wav"))
    #expect(try folder.data("a/played.wav") != folder.data("c/played.wav"))
  }

  @Test func whatCannotBeIsToldWithAWayOut() throws {
    let folder = try Folder()
    try Self.shortSpeech(in: folder)
    let cases: [(options: String, code: Int32, words: String)] = [
      ("--codec mp3", 2, "opus, pcmu, pcma, g722, l16, l24"),
      ("--rate 44100", 2, "16000, 24000, 48000"),
      ("--complexity 11", 2, "--complexity"),
      ("--network mars", 2, "mars"),
      ("--mic missing.wav", 1, "missing.wav"),
      ("--agent /dev/null", 1, "/dev/null"),
      ("--echo-path missing.wav", 1, "missing.wav"),
      ("--report mic.wav", 1, "mic.wav"),
    ]
    for (options, code, words) in cases {
      let others = ["--mic mic.wav", "--agent agent.wav", "--echo-path \(Self.room)", "--report out"]
        .filter { !$0.hasPrefix(options.prefix { $0 != " " }) }
      let outcome = try Program.shell("antiphon run \(others.joined(separator: " ")) \(options)", in: folder)
      #expect(outcome.code == code, "\(options): \(outcome.error)")
      #expect(outcome.error.contains(words), "\(options): \(outcome.error)")
      #expect(outcome.output.isEmpty)
    }
    try Data("seq,when\n1,2\n".utf8).write(to: folder.url.appendingPathComponent("bad.csv"))
    let outcome = try Self.call("--network", "bad.csv", in: folder)
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("bad.csv"))
  }
}
