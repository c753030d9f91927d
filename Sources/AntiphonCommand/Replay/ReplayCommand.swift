import Antiphon
import Foundation

/// The streams of a real capture, as a receiver would have heard them.
struct ReplayCommand: Command {
  static let name = "replay"
  static let summary = "play the RTP streams of a packet capture through the jitter buffer as they arrived"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.required("--out", "FILE", "what was played: mono, 16 bit (.wav, .flac)"),
      ArgumentSyntax.value("--ssrc", "SSRC", "only streams of this sender: 0x0E330AF3 or decimal"),
      ArgumentSyntax.value("--stream", "N", "only the stream with this number in the list, from 1"),
    ] + CaptureOptions.syntax + [
      ArgumentSyntax.value("--rate", "HERTZ", "the output's rate, 8000 to 192000 (default: the decoder's own)"),
      ArgumentSyntax.value("--report", "DIR", "also write report.html and result.json there"),
      ArgumentSyntax.flag("--json", "print the result as JSON"),
    ], operands: ["CAPTURE"])
  static let example =
    "antiphon replay testdata/captures/gpl-2.0/asterisk-CARRIER_G711U.pcap --out heard.wav --report out/replay"
  static let notes = """
    Virtual time: packets come when the capture says, sample n is played n / rate after the stream's first packet. A capture
    with one stream that can be played makes FILE. With several, each makes its own, named after its SSRC: out.wav becomes
    out-0E330AF3.wav, a second stream of that SSRC out-0E330AF3-2.wav; pages of --report likewise. Telephone events and
    comfort noise (CN) are pauses, not losses; copies of packets (RED) are used. Without --srtp-key the keys of SDP in the
    capture (a=crypto) open SRTP. Silences of more than a minute are shortened to 2 s. What cannot be played is told; the
    exit code is 1 only when nothing could. 'antiphon capture-info' tells what is in a capture.
    """

  private let path: String
  private let output: String
  private let ssrc: UInt32?
  private let number: Int?
  private let options: CaptureOptions
  private let rate: SampleRate?
  private let directory: URL?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.operand(0, "CAPTURE")
    output = try arguments.required("--out", "FILE")
    ssrc = try arguments.text("--ssrc").map(Self.ssrc)
    number = try arguments.number("--stream", in: 1...100_000)
    options = try CaptureOptions(arguments)
    rate = try arguments.sampleRate("--rate")
    directory = arguments.text("--report").map { URL(fileURLWithPath: $0, isDirectory: true) }
    printsJSON = arguments.has("--json")
  }

  private static func ssrc(_ text: String) throws(UsageError) -> UInt32 {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    guard let ssrc = isHexadecimal ? UInt32(text.dropFirst(2), radix: 16) : UInt32(text) else {
      throw UsageError("--ssrc takes 32 bits, like 0x0E330AF3 or 238225139, not '\(text)'")
    }
    return ssrc
  }

  func run() throws {
    let result = try convert()
    try result.tell(as: Self.self, json: printsJSON, audioGoesTo: output)
  }

  /// Writes the outputs and says what came of them.
  func convert() throws -> ReplayResult {
    // The capture is read twice: first for what is in it, then to play it.
    let spool = try PipeCopy(of: path) { copy in
      guard case .capture = try FileKind(path: copy) else {
        throw AudioFileError.unrecognized(path: path, wanted: "a packet capture (pcap, pcapng or rtpdump)")
      }
    }
    let file = spool?.path ?? path
    let survey = try CaptureSurvey(path: file, keys: options.keys, names: options.names)
    if let fault = survey.fault { throw CommandFailure("\(path): \(fault)\(survey.causes)") }
    let chosen = try choose(among: survey.streams)
    let playable = chosen.filter { $0.stream.isPlayable }
    if playable.isEmpty { throw CommandFailure(nothingToPlay(chosen)) }
    if playable.count > 1, output == "-" {
      throw CommandFailure(
        "\(path): \(playable.count) streams cannot all go to standard output; choose one with --stream:\n"
          + playable.map { "  \($0.number)  \(Self.describe($0.stream))" }.joined(separator: "\n"))
    }
    let outputs = OutputFiles(inputs: [path])
    return try outputs.removingOnFailure {
      try play(playable, of: chosen, in: survey, file: file, outputs)
    }
  }

  private struct Numbered {
    let number: Int
    let stream: CapturedStream
  }

  private func choose(among streams: [CapturedStream]) throws -> [Numbered] {
    let all = streams.enumerated().map { Numbered(number: $0 + 1, stream: $1) }
    let chosen = all.filter {
      (ssrc == nil || $0.stream.stream.identity.ssrc == ssrc) && (number == nil || $0.number == number)
    }
    if chosen.isEmpty {
      let wanted = [ssrc.map { "SSRC \(hexadecimal($0))" }, number.map { "number \($0)" }].compactMap(\.self)
      throw CommandFailure(
        "\(path): there is no stream with \(wanted.joined(separator: " and ")); there are\n"
          + all.map { "  \($0.number)  \(Self.describe($0.stream))" }.joined(separator: "\n"))
    }
    return chosen
  }

  private func nothingToPlay(_ streams: [Numbered]) -> String {
    let reasons = streams.map { "SSRC \(hexadecimal($0.stream.stream.identity.ssrc)): \($0.stream.silenceReason)" }
    return reasons.count == 1
      ? "\(path): there is nothing to play; \(reasons[0])"
      : "\(path): there is nothing to play in any of \(reasons.count) streams\n  " + reasons.joined(separator: "\n  ")
  }

  static func describe(_ captured: CapturedStream) -> String {
    let identity = captured.stream.identity
    let codecs = captured.payloads.map { $0.name?.encoding ?? "payload type \($0.use.payloadType)" }
    return
      "SSRC \(hexadecimal(identity.ssrc)), \(identity.source) to \(identity.destination), \(codecs.joined(separator: ", "))"
  }

  /// Why what was played is no sound of any stream, where that is so.
  private func unreadable(_ streams: [ReplayResult.Stream]) -> String? {
    let reasons = streams.compactMap(\.unreadable)
    guard reasons.count == streams.count else { return nil }
    return reasons.count == 1
      ? "\(path): \(reasons[0])" : "\(path): no stream could be decoded\n  " + reasons.joined(separator: "\n  ")
  }

  private func play(
    _ playable: [Numbered], of chosen: [Numbered], in survey: CaptureSurvey, file: String, _ outputs: OutputFiles
  ) throws -> ReplayResult {
    let pace = Pace()
    if let directory { try outputs.makeFolder(directory) }
    var names = StreamNames(path: output, isAlone: playable.count == 1)
    var players: [RTPStream.Identity: (replay: StreamReplay, record: ReplayRecord)] = [:]
    for entry in playable {
      let replay = try StreamReplay(entry.stream, sampleRate: rate)
      let name = names.next(entry.stream.stream.identity.ssrc)
      let record = ReplayRecord(
        path: name, try outputs.audio(name, format: .mono(replay.sampleRate)), sampleRate: replay.sampleRate,
        keepsSignal: directory != nil)
      players[entry.stream.stream.identity] = (replay, record)
    }
    // Keys that the capture tells late are known by now.
    var capture = try OpenedCapture(path: file, keys: survey.keys)
    var progress = Progress("replay")
    while let datagram = try capture.next() {
      guard let identity = RTPStreamSurvey.identity(of: datagram), let player = players[identity] else { continue }
      try player.replay.receive(datagram, observer: player.record)
      progress.update(done: player.record.seconds, total: nil)
    }
    var streams: [ReplayResult.Stream] = []
    for entry in playable {
      guard let player = players[entry.stream.stream.identity] else { continue }
      try player.replay.finish(observer: player.record)
      try player.record.finish()
      streams.append(.init(entry.stream, number: entry.number, player.replay, player.record))
    }
    progress.finish()
    if let unreadable = unreadable(streams) { throw CommandFailure(unreadable) }
    let seconds = streams.map(\.seconds).reduce(0, +)
    let result = ReplayResult(
      file: path, streams: streams,
      notPlayed: chosen.filter { !$0.stream.isPlayable }.map {
        .init(
          number: $0.number, ssrc: hexadecimal($0.stream.stream.identity.ssrc), reason: $0.stream.silenceReason)
      },
      timesRealTime: pace.timesRealTime(seconds), survey: survey)
    if let directory {
      var pages = StreamNames(path: directory.appendingPathComponent("report.html").path, isAlone: playable.count == 1)
      for (stream, entry) in zip(streams, playable) {
        guard let player = players[entry.stream.stream.identity] else { continue }
        let page = pages.next(entry.stream.stream.identity.ssrc)
        try outputs.write(stream.report(of: entry.stream, in: path, player.record).html(), to: page)
      }
      let json = try JSONText.encode(result, pretty: true)
      try outputs.write(Data((json + "\n").utf8), to: directory.appendingPathComponent("result.json").path)
    }
    return result
  }
}

/// Names of files, one for each stream: the one that was asked for, or with the SSRC in it where there are several.
struct StreamNames {
  private let path: String
  private let isAlone: Bool
  private var used: [UInt32: Int] = [:]

  init(path: String, isAlone: Bool) {
    self.path = path
    self.isAlone = isAlone
  }

  mutating func next(_ ssrc: UInt32) -> String {
    if isAlone { return path }
    used[ssrc, default: 0] += 1
    let copy = used[ssrc] == 1 ? "" : "-\(used[ssrc] ?? 0)"
    let suffix = (path as NSString).pathExtension
    let stem = suffix.isEmpty ? path : String(path.dropLast(suffix.count + 1))
    return stem + String(format: "-%08X", ssrc) + copy + (suffix.isEmpty ? "" : "." + suffix)
  }
}
