import Antiphon
import Foundation

/// What came of the streams of a capture.
struct ReplayResult: Outcome {
  /// One stream that was played.
  struct Stream: Encodable {
    /// What the capture holds of it; see `capture-info`.
    var captured: StreamDescription
    var output: String
    var rate: Int
    var frames: Int
    var seconds: Double
    /// Over the fastest packets, by time.
    var playoutDelayMedianMilliseconds: Double?
    var playoutDelayP95Milliseconds: Double?
    var concealedSeconds: Double
    var codecChanges: Int
    /// Packets that the codec could read; then those whose sound was not played, by cause.
    var packetsRead: Int
    var packetsTooLate: Int
    var packetsMalformed: Int
    var packetsImplausible: Int
    var packetsUndecodable: Int
    var packetsCutShort: Int
    var clockJumps: Int
    var secondsLeftOut: Double
    /// The jitter buffer's counters by the names of webrtc-stats.
    var inboundRTP: [String: Double]
    var warnings: [String]
    var statistics: JitterBufferStatistics

    private enum CodingKeys: String, CodingKey {
      case captured, output, rate, frames, seconds, playoutDelayMedianMilliseconds, playoutDelayP95Milliseconds,
        concealedSeconds, codecChanges, packetsTooLate, packetsMalformed, packetsImplausible, packetsUndecodable,
        packetsCutShort, clockJumps, secondsLeftOut, inboundRTP
    }
  }

  struct Silent: Encodable {
    var number: Int
    var ssrc: String
    var reason: String
  }

  var file: String
  var streams: [Stream]
  /// Streams that were asked for and have no sound that can be decoded.
  var notPlayed: [Silent]
  var timesRealTime: Double
  var warnings: [String]
  private let pathLines: [String]

  private enum CodingKeys: String, CodingKey { case file, streams, notPlayed, timesRealTime, warnings }

  init(file: String, streams: [Stream], notPlayed: [Silent], timesRealTime: Double, survey: CaptureSurvey) {
    self.file = file
    self.streams = streams
    self.notPlayed = notPlayed
    self.timesRealTime = timesRealTime
    pathLines = survey.pathLines
    warnings =
      survey.warnings.map { "\(file): \($0)" }
      + streams.flatMap { stream in (stream.captured.warnings + stream.warnings).map { "\(file): \($0)" } }
      + notPlayed.map { "\(file): SSRC \($0.ssrc) was not played: \($0.reason)" }
  }

  var summary: String {
    var lines = ["\(file): \(counted(streams.count, "stream")) played, \(Int(timesRealTime)) times real time"]
    for stream in streams {
      let captured = stream.captured
      let codecs = captured.codecs.map { $0.mimeType?.split(separator: "/").last.map(String.init) ?? "?" }
      lines.append(
        "  \(captured.number)  SSRC \(captured.ssrc), \(captured.source) to \(captured.destination), \(codecs.joined(separator: ", "))"
      )
      lines.append(
        String(
          format: "     %@: %.3f s at %d Hz; %d of %d packets lost, %.3f s concealed, playout delay %@ (p95 %@)",
          stream.output, stream.seconds, stream.rate, captured.packetsLost, captured.packetsExpected,
          stream.concealedSeconds, Self.milliseconds(stream.playoutDelayMedianMilliseconds),
          Self.milliseconds(stream.playoutDelayP95Milliseconds)))
      if !captured.keys.isEmpty { lines.append("     keys \(captured.keys)") }
    }
    lines += pathLines.map { "  " + $0 }
    return lines.joined(separator: "\n")
  }

  private static func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.0f ms", $0) } ?? "–" }
}

extension ReplayResult.Stream {
  /// Why next to nothing could be decoded, where that is so: fewer than one packet in ten.
  var unreadable: String? {
    let read = packetsRead
    guard packetsMalformed > 9 * read else { return nil }
    let names = captured.codecs.filter(\.isDecodable).map {
      "payload type \($0.payloadType) as \($0.mimeType?.split(separator: "/").last ?? "?")/\($0.clockRate ?? 0)"
    }
    let count = counted(packetsMalformed + read, "packet")
    return "SSRC \(captured.ssrc): \(packetsMalformed) of \(count) cannot be decoded "
      + "(\(names.joined(separator: ", "))); give the right codec with --payload-type PT=CODEC/RATE"
  }

  init(_ stream: CapturedStream, number: Int, _ replay: StreamReplay, _ record: ReplayRecord) {
    captured = StreamDescription(stream, number: number)
    output = record.path
    rate = record.sampleRate.hertz
    frames = record.framesWritten
    seconds = record.seconds
    playoutDelayMedianMilliseconds = record.delay(within: 0.5)
    playoutDelayP95Milliseconds = record.delay(within: 0.95)
    statistics = replay.statistics
    concealedSeconds = Double(statistics.concealedSamples) / Double(rate)
    codecChanges = replay.codecChangeCount
    packetsRead = (replay.outcomes[.inserted] ?? 0) + (replay.outcomes[.tooLate] ?? 0)
    packetsTooLate = replay.outcomes[.tooLate] ?? 0
    packetsMalformed = replay.outcomes[.malformed] ?? 0
    packetsImplausible = replay.outcomes[.implausible] ?? 0
    packetsUndecodable = replay.outcomes[.undecodable] ?? 0
    packetsCutShort = replay.outcomes[.cutShort] ?? 0
    clockJumps = replay.clockJumpCount
    secondsLeftOut = replay.secondsLeftOut
    inboundRTP = Dictionary(uniqueKeysWithValues: statistics.namedCounters.map { ($0.name, $0.value) })
    warnings = []
    let prefix = "SSRC \(captured.ssrc): "
    if let unreadable {
      warnings.append(unreadable)
    } else if packetsMalformed > 0 {
      warnings.append(prefix + "\(counted(packetsMalformed, "packet")) could not be read by the codec")
    }
    if packetsCutShort > 0 {
      warnings.append(prefix + "\(counted(packetsCutShort, "packet")) were captured only in part and not played")
    }
    if clockJumps > 0 {
      warnings.append(
        prefix
          + String(
            format: "the time jumped %d times; playout began anew there, %.1f s of silence were left out", clockJumps,
            secondsLeftOut))
    }
  }
}
