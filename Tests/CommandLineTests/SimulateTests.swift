import Foundation
import TestSupport
import Testing

struct SimulateTests {
  private let packets = data("network/packets.bin")

  @Test(arguments: ["wifi", "lte", "lossy"])
  func aReplayIsRepeatableAndCountsByName(network: String) throws {
    let folder = try Folder()
    var outputs: [Data] = []
    for name in ["a", "b"] {
      let result = try Program.run(
        "simulate", "--trace", data("network/\(network).csv"), "--opus", packets, "--out", "\(name).wav", "--stats",
        "\(name).json", "--playout", "\(name).csv", in: folder)
      #expect(result.code == 0)
      #expect(result.error.isEmpty)
      outputs.append(try folder.data("\(name).wav"))
    }
    #expect(outputs[0] == outputs[1])
    let counters = try #require(try JSONSerialization.jsonObject(with: folder.data("a.json")) as? [String: Any])
    for name in [
      "total_samples", "concealed_samples", "concealment_events", "inserted_samples", "removed_samples",
      "discarded_packets", "fec_packets", "jitterBufferDelay", "jitterBufferTargetDelay", "jitterBufferMinimumDelay",
      "jitterBufferEmittedCount", "totalSamplesReceived", "concealedSamples", "silentConcealedSamples",
      "concealmentEvents", "insertedSamplesForDeceleration", "removedSamplesForAcceleration", "packetsReceived",
      "packetsDiscarded", "fecPacketsReceived", "fecPacketsDiscarded",
    ] { #expect(counters[name] is NSNumber, "\(name)") }
    let out = try folder.read("a.wav")
    #expect(out.format == .mono(.hz48000))
    #expect(out.samples.count % 480 == 0)
    let rows = String(decoding: try folder.data("a.csv"), as: UTF8.self).split(separator: "\n")
    #expect(rows[0] == "out_sample,timestamp")
    #expect(rows[1].hasSuffix(",4294800000"), "the first packet's timestamp")
    #expect(rows[2].hasSuffix(",4294800480"))
  }

  @Test func soundBeginsWithTheFirstArrivalAndEndsASecondAfterTheLast() throws {
    let folder = try Folder()
    let words = ["--opus", packets, "--out", "out.wav", "--json"]
    let result = try Program.shell(
      "antiphon simulate --trace \(data("network/wifi.csv")) \(words.joined(separator: " "))", in: folder)
    let told = try result.json()
    #expect(told["rowsInTrace"] as? Int == 551)
    #expect(told["packetsReceived"] as? Int == 551)
    let samples = try folder.read("out.wav").samples
    #expect(samples.prefix(29 * 48).allSatisfy { $0 == 0 }, "the first packet arrives at 29.2 ms")
    #expect(Double(samples.count) / 48_000 >= 551 * 0.02 + 1)
  }

  @Test func wrongColumnsAreToldWithTheirLine() throws {
    let folder = try Folder()
    try "# a comment\nseq,send_ms,arrival_ms\n1,20,30\n".write(
      toFile: folder / "t.csv", atomically: true, encoding: .utf8)
    let result = try Program.run("simulate", "--trace", "t.csv", "--opus", packets, "--out", "o.wav", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("t.csv:2: the columns must be \"seq,timestamp,send_ms,arrival_ms\""))
    #expect(!folder.holds("o.wav"))
  }

  @Test func aCutPacketFileIsPlayedAsFarAsItGoes() throws {
    let folder = try Folder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: packets))
    try whole.prefix(whole.count / 2).write(to: folder.url.appendingPathComponent("cut.bin"))
    let result = try Program.run(
      "simulate", "--trace", data("network/wifi.csv"), "--opus", "cut.bin", "--out", "o.wav", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("cut.bin: ends at byte \(whole.count / 2) inside a record"))
    #expect(result.error.contains("what is whole was played"))
    #expect(result.error.contains("without a packet in cut.bin count as lost"))
    // One truth: the rows that were warned of are those told as lost.
    let warned = try #require(result.error.split(separator: " ").compactMap { Int($0) }.first)
    #expect(result.text.contains("packets lost on the way     \(warned) of 551"), "\(result.text)")
    #expect(powerDecibels(try folder.read("o.wav").samples.prefix(48_000 * 4)) > -50)
  }

  @Test func packetsOfAnotherStreamAreAnError() throws {
    let folder = try Folder()
    try "seq,timestamp,send_ms,arrival_ms\n30000,0,20,30\n".write(
      toFile: folder / "t.csv", atomically: true, encoding: .utf8)
    let result = try Program.run("simulate", "--trace", "t.csv", "--opus", packets, "--out", "o.wav", in: folder)
    #expect(result.code == 1)
    #expect(result.error.contains("are they of one stream?"))
    try "seq,timestamp,send_ms,arrival_ms\n".write(toFile: folder / "none.csv", atomically: true, encoding: .utf8)
    let empty = try Program.run("simulate", "--trace", "none.csv", "--opus", packets, "--out", "o.wav", in: folder)
    #expect(empty.code == 1)
    #expect(empty.error.contains("there are no packets in the trace"))
    #expect(!folder.holds("o.wav"))
  }

  /// One wrong number must not make hours of silence.
  @Test func arrivalsOutsideOfTheTraceAreRefused() throws {
    for (row, text) in [
      ("1,0,40,86000000", "t.csv:3: arrival_ms 86000000 is more than 5 minutes after send_ms; leave it empty if"),
      ("1,0,40,-5", "t.csv:3: arrival_ms -5 is before the trace's zero"),
      ("1,0,400000,400010", "t.csv:3: send_ms 400000 is more than 5 minutes away from the row before"),
    ] {
      let folder = try Folder()
      try "seq,timestamp,send_ms,arrival_ms\n0,0,20,30\n\(row)\n".write(
        toFile: folder / "t.csv", atomically: true, encoding: .utf8)
      let result = try Program.run(
        "simulate", "--trace", "t.csv", "--opus", packets, "--out", "o.wav", "--report", "r", in: folder)
      #expect(result.code == 1)
      #expect(result.error.contains(text), "\(result.error)")
      #expect(!folder.holds("o.wav") && !folder.holds("r"))
    }
  }

  @Test func theReportIsOnePage() throws {
    let folder = try Folder()
    let result = try Program.run(
      "simulate", "--trace", data("network/lossy.csv"), "--opus", packets, "--out", "o.wav", "--report", "r", in: folder
    )
    #expect(result.code == 0)
    #expect(String(decoding: try folder.data("r/report.html"), as: UTF8.self).contains("Playout delay"))
  }
}
