import Antiphon
import CallReport
import Foundation

extension CallResult {
  /// The page that shows this call.
  func report(_ recording: CallRecording, _ options: RunOptions) throws -> CallReport {
    var report = CallReport(
      title: "A call over \(network)",
      run: CallReport.Run(
        command: ShellText.commandLine, date: Date(), codec: codec,
        network: network,
        settings: [
          .init("Microphone processing", "\(options.rate)"),
          .init("User", options.microphonePath), .init("Agent", options.agentPath),
          .init("Room", options.roomPath ?? "headset: no echo"),
          .init("Protection", options.usesSRTP ? SRTPProfile.aes128CounterModeSHA1x80.sdpName : "none"),
        ]),
      durationSeconds: durationSeconds)
    report.verdict = verdict
    report.figures = figures
    report.warnings = warnings
    if durationSeconds > Double(CallRecording.shownSeconds) {
      report.warnings.append(
        "Players and pictures show the first \(CallRecording.shownSeconds) s; figures cover the whole call.")
    }
    report.tracks = try tracks(recording)
    report.strips = strips(recording)
    report.plots = plots(recording)
    report.latency = [
      .init("Microphone to far ear", stages: microphoneToFarEar.map { .init($0.stage, milliseconds: $0.milliseconds) }),
      .init(
        "Agent's mouth to loudspeaker", stages: farMouthToUser.map { .init($0.stage, milliseconds: $0.milliseconds) }),
    ]
    report.cost = .init(
      frameMicroseconds: 10_000,
      stages: costs.map {
        .init(
          $0.stage, median: $0.medianMicroseconds, p99: $0.p99Microseconds, worst: $0.worstMicroseconds,
          sharePercent: $0.sharePercent)
      })
    report.statistics = try statisticsGroups()
    return report
  }

  private var verdict: CallReport.Verdict {
    if agentToUser.heardNothing || userToAgent.heardNothing {
      return .init(.poor, "Nothing was heard in one direction or both.")
    }
    let delay = max(agentToUser.delayMilliseconds, userToAgent.delayMilliseconds)
    let concealed = max(agentToUser.concealedPercent, userToAgent.concealedPercent)
    // ITU-T G.114: below 150 ms nobody minds, above 400 ms talk breaks down. Concealment: a choice.
    if delay > 400 || concealed > 10 {
      return .init(.poor, "People would talk over each other or miss words on this network.")
    }
    // At such delays an echo less than about 40 dB below the voice is noticed, one less than 25 disturbs; read off
    // the curves of ITU-T G.131, rounded.
    if let echoLoss, echoLoss < 25 { return .init(.poor, "The agent hears itself: the echo was hardly taken away.") }
    if let echoLoss, echoLoss < 40 { return .init(.fair, "A conversation works; the agent may hear its own echo.") }
    if delay > 200 || concealed > 3 {
      return .init(.fair, "A conversation works; an attentive listener notices delay or repaired sound.")
    }
    return .init(.good, "A natural conversation: delay and repairs stay below what people notice.")
  }

  /// By how much the agent's voice is quieter in what it hears than in the loudspeaker, in dB.
  private var echoLoss: Double? {
    guard let echoReturnLoss, let echoReturnLossEnhancement else { return nil }
    return echoReturnLoss + echoReturnLossEnhancement
  }

  private var figures: [CallReport.Figure] {
    func grade(_ value: Double?, good: Double, fair: Double) -> CallReport.Grade? {
      value.map { $0 <= good ? .good : $0 <= fair ? .fair : .poor }
    }
    let (down, up) = (agentToUser, userToAgent)
    return [
      .init(
        "Agent's mouth to user's ear", down.mouthToEarMedianMilliseconds, unit: "ms",
        note: down.mouthToEarP95Milliseconds.map { String(format: "p95 %.0f ms", $0) },
        grade: grade(down.mouthToEarMedianMilliseconds, good: 200, fair: 400)),
      .init(
        "User's mouth to agent's ear", up.mouthToEarMedianMilliseconds, unit: "ms",
        note: up.mouthToEarP95Milliseconds.map { String(format: "p95 %.0f ms", $0) },
        grade: grade(up.mouthToEarMedianMilliseconds, good: 200, fair: 400)),
      .init(
        "In the user's jitter buffer", down.jitterBufferDelayMeanMilliseconds, unit: "ms",
        note: String(format: "in the agent's %.0f ms", up.jitterBufferDelayMeanMilliseconds)),
      .init(
        "Lost on the way to the user", down.networkLossPercent, unit: "%", decimals: 1,
        note: String(format: "to the agent %.1f %%", up.networkLossPercent)),
      .init(
        "Concealed for the user", down.concealedPercent, unit: "%", decimals: 1,
        note: String(format: "for the agent %.1f %%", up.concealedPercent),
        grade: grade(max(down.concealedPercent, up.concealedPercent), good: 3, fair: 10)),
      .init(
        "Echo taken away", echoReturnLossEnhancement, unit: "dB",
        note: echoReturnLoss.map { String(format: "and %.0f dB by the room", $0) },
        grade: echoLoss.map { $0 < 25 ? .poor : $0 < 40 ? .fair : .good }),
      .init("Speed", timesRealTime, unit: "× real time"),
    ]
  }

  private func tracks(_ recording: CallRecording) throws -> [CallReport.Track] {
    var agent = try track("Agent, as sent", .farEnd, recording.agent, recording.farRate)
    agent.detail = "before codec and network"
    var played = try track("Agent, as the user hears it", .farEnd, recording.played, recording.nearRate)
    played.detail = "after network, jitter buffer and decoder"
    var microphone = try track("Microphone", .nearEnd, recording.microphone, recording.nearRate)
    microphone.detail = "the user, and the agent through the room"
    var heard = try track("User, as the agent hears it", .nearEnd, recording.heard, recording.farRate)
    heard.detail = "after echo canceller, codec and network"
    let seconds = Double(recording.agentBands.count / max(1, recording.bandCount)) / 100
    if recording.bandCount > 0, seconds > 0 {
      played.bands = .init(levels: recording.agentBands, bandCount: recording.bandCount, durationSeconds: seconds)
      microphone.bands = .init(levels: recording.userBands, bandCount: recording.bandCount, durationSeconds: seconds)
    }
    return [agent, played, microphone, heard]
  }

  private func track(
    _ name: String, _ side: CallReport.Side, _ samples: [Float], _ rate: SampleRate
  ) throws -> CallReport.Track {
    var track = CallReport.Track(name, side: side)
    track.audio = .wav(samples, sampleRate: rate)
    track.waveform = .init(samples, sampleRate: rate)
    var analyser = try SpectrumAnalyser(sampleRate: rate)
    track.spectrogram = .init(of: samples, sampleRate: rate) { analyser.powerSpectrum($0) }
    return track
  }

  private func strips(_ recording: CallRecording) -> [CallReport.EventStrip] {
    [
      .init("User speaks", kind: .voice, intervals: recording.voice.intervals),
      .init(
        "Lost on the way to the user", kind: .loss, intervals: recording.lost.intervals,
        eventCount: packetsLostToUser, totalSeconds: Double(packetsLostToUser) * 0.02),
      .init(
        "Concealed", kind: .concealment, track: "Agent, as the user hears it", intervals: recording.concealed.intervals,
        eventCount: near.inboundRTP.concealmentEvents,
        totalSeconds: agentToUser.secondsPlayed * agentToUser.concealedPercent / 100),
    ]
  }

  private func plots(_ recording: CallRecording) -> [CallReport.TimePlot] {
    func series(_ name: String, _ recorder: SeriesRecorder, _ style: CallReport.TimeSeries.Style = .line)
      -> CallReport.TimeSeries
    {
      .init(name, style: style, intervalSeconds: recorder.intervalSeconds, values: recorder.values)
    }
    let delay = CallReport.TimePlot(
      "Playout delay", unit: "ms", minimum: 0, note: "agent to user, over the fastest packets",
      series: [series("played", recording.playoutDelay, .area), series("target", recording.targetDelay, .step)])
    guard echoReturnLossEnhancement != nil else { return [delay] }
    let echo = CallReport.TimePlot(
      "Echo return loss enhancement", unit: "dB", minimum: 0,
      note: "left open where the user speaks: there it cannot be measured",
      series: [series("ERLE", recording.echoReturnLossEnhancement)])
    return [delay, echo]
  }

  private func statisticsGroups() throws -> [CallReport.StatisticsGroup] {
    // The names are those of the JSON: one list, one spelling.
    try [("user's end", near), ("agent's end", far)].flatMap { end, statistics in
      let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(statistics)) as? [String: [String: Any]]
      // Without reports of the far end there is nothing that it says.
      let groups = (object ?? [:]).filter { !$0.key.hasPrefix("remote-") }
      return groups.sorted { $0.key < $1.key }.map { group, members in
        CallReport.StatisticsGroup(
          "\(group), \(end)",
          members.sorted { $0.key < $1.key }.map { name, value in
            if let flag = value as? Bool, name == "voiceActivity" { return .init(name, text: flag ? "yes" : "no") }
            return .init(name, (value as? NSNumber)?.doubleValue)
          })
      }
    }
  }
}

extension SeriesRecorder {
  /// The stretches in which the value is above 0.
  var intervals: [CallReport.EventStrip.Interval] {
    var intervals: [CallReport.EventStrip.Interval] = []
    var start: Int?
    for index in 0...values.count {
      let isOn = index < values.count && values[index] > 0
      if isOn, start == nil { start = index }
      if !isOn, let first = start {
        intervals.append(.init(start: Double(first) * intervalSeconds, end: Double(index) * intervalSeconds))
        start = nil
      }
    }
    return intervals
  }
}
