import Antiphon
import CallReport
import Foundation

/// A jitter buffer alone, on a recorded or made-up network.
struct SimulateCommand: Command {
  static let name = "simulate"
  static let summary = "play Opus packets through the jitter buffer as a network trace lets them arrive"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.required("--trace", "FILE", "CSV: seq,timestamp,send_ms,arrival_ms, one row for each copy sent"),
    ArgumentSyntax.required(
      "--opus", "FILE", "the packets: u32 length, u16 seq, u32 timestamp (little endian), payload"),
    ArgumentSyntax.required("--out", "FILE", "what was played: 48 kHz mono, 16 bit"),
    ArgumentSyntax.value("--stats", "FILE", "counters as JSON"),
    ArgumentSyntax.value("--playout", "FILE", "CSV out_sample,timestamp: what was played when, every 10 ms"),
    ArgumentSyntax.value("--report", "DIR", "also write report.html there"),
    ArgumentSyntax.flag("--json", "print the counters as JSON"),
  ])
  static let example = """
    antiphon simulate --trace testdata/network/wifi.csv --opus testdata/network/packets.bin --out played.wav \
    --stats stats.json
    """
  static let notes = """
    Virtual time: sample n of the output is played n / 48 ms after the trace's zero, and only what has arrived by then is
    known. Counters run from the first to the last arrival, by the names of the W3C's webrtc-stats; total_samples,
    concealed_samples and the five like them are the same by the names that simulators of jitter buffers share. Rows whose
    packet is not in the packet file count as lost. When that file is cut, what is whole is played, and the exit code is 1.
    """

  private let trace: String
  private let packets: String
  private let output: String
  private let statistics: String?
  private let playout: String?
  private let directory: URL?
  private let printsJSON: Bool

  /// Played on behind the last arrival.
  private static let tailMilliseconds = 1_000.0

  init(_ arguments: Arguments) throws {
    trace = try arguments.required("--trace", "FILE")
    packets = try arguments.required("--opus", "FILE")
    output = try arguments.required("--out", "FILE")
    statistics = arguments.text("--stats")
    playout = arguments.text("--playout")
    directory = arguments.text("--report").map { URL(fileURLWithPath: $0, isDirectory: true) }
    printsJSON = arguments.has("--json")
    if trace == "-", packets == "-" { throw UsageError("only one of --trace and --opus can be standard input") }
    if [output, statistics, playout].filter({ $0 == "-" }).count > 1 {
      throw UsageError("only one output can be standard output")
    }
  }

  func run() throws {
    let result = try convert()
    let textGoesOut = [statistics, playout].contains("-")
    try result.tell(as: Self.self, json: printsJSON, audioGoesTo: textGoesOut ? "-" : output)
    if let fault = result.packetFileFault { throw CommandFailure("\(fault); what is whole was played") }
  }

  /// Writes the outputs and says what came of it.
  func convert() throws -> SimulationResult {
    let outputs = OutputFiles(inputs: [trace, packets])
    return try outputs.removingOnFailure { try convert(outputs) }
  }

  private func convert(_ outputs: OutputFiles) throws -> SimulationResult {
    let pace = Pace()
    var arrivals = try TraceArrivals(tracePath: trace, packetPath: packets)
    var replay = try TraceReplay(format: .opus())
    if let directory { try outputs.makeFolder(directory) }
    let rate = replay.buffer.sampleRate
    var writer = try outputs.audio(output, format: .mono(rate))
    let positions = try playout.map { try outputs.open($0) { try TextOutput(path: $0) } }
    let counters = try statistics.map { try outputs.open($0) { try TextOutput(path: $0) } }
    try positions?.line("out_sample,timestamp")

    var record = PlayoutRecord(sampleRate: rate, keepsSignal: directory != nil)
    var frame = [Float](repeating: 0, count: replay.frameSampleCount)
    var progress = Progress("simulate")
    while true {
      while let arrival = try arrivals.next(arrivedBy: replay.now) { replay.insert(arrival) }
      if arrivals.isExhausted {
        guard let last = arrivals.lastArrival else { throw nothingArrives(arrivals) }
        if replay.now >= last.advanced(byMilliseconds: Self.tailMilliseconds) { break }
      }
      var samples = frame.mutableSpan
      let point = replay.play(into: &samples)
      try writer.write(frame)
      if let timestamp = point.timestamp { try positions?.line("\(point.sample),\(timestamp)") }
      record.note(frame, point, replay.buffer.statistics)
      progress.update(done: record.seconds, total: nil)
    }
    try writer.finish()
    try positions?.flush()
    progress.finish()

    let result = SimulationResult(
      trace: trace, packets: packets, output: output, arrivals: arrivals, replay: replay, record: record,
      timesRealTime: pace.timesRealTime(record.seconds))
    try counters?.line(JSONText.encode(result, pretty: true))
    try counters?.flush()
    if let directory {
      let page = directory.appendingPathComponent("report.html").path
      try outputs.write(result.report(record).html(), to: page)
    }
    return result
  }

  private func nothingArrives(_ arrivals: borrowing TraceArrivals) -> CommandFailure {
    if arrivals.rowCount == 0 { return CommandFailure("\(trace): there are no packets in the trace") }
    if let fault = arrivals.packetFileFault { return CommandFailure("\(fault)") }
    if arrivals.rowsWithoutPacket > 0 {
      return CommandFailure("\(packets): has none of the packets that arrive in \(trace); are they of one stream?")
    }
    return CommandFailure("\(trace): all \(arrivals.rowCount) packets are lost")
  }
}
