import Antiphon

/// The whole path of a client, both ways, stage by stage: what it sends comes back to it 40 ms later as the agent's voice.
struct PathBench {
  private let voice: MadeUpVoice
  private let tickCount: Int

  init(_ voice: MadeUpVoice, seconds: Int) {
    self.voice = voice
    tickCount = seconds * 100
  }

  func rows() throws -> [BenchRow] {
    try [SampleRate.hz16000, .hz48000].flatMap { try rows(engineRate: $0) }
  }

  private func rows(engineRate: SampleRate) throws -> [BenchRow] {
    var settings = MediaEngineSettings.voiceAgent
    settings.engineRate = engineRate
    settings.opus.complexity = 5
    settings.measuresStages = true
    // One key both ways, since the engine hears itself.
    let key = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0) })
    settings.security = .init(send: key, receive: key)
    var engine = try MediaEngine(settings)
    var onTheWay: [[UInt8]] = []
    var microphone = SampleBuffer(repeating: 0, count: 480)
    var loudspeaker = SampleBuffer(repeating: 0, count: 480)
    var datagram = ByteBuffer(repeating: 0, count: engine.maximumDatagramByteCount)
    var times = CallTimes(count: tickCount)
    var position = 0
    for tick in 0..<tickCount {
      voice.copy(to: &microphone, at: &position)
      let now = MediaInstant(nanoseconds: Int64(tick) * 10_000_000)
      let start = ContinuousClock.now
      engine.render(into: &loudspeaker, at: now)
      engine.capture(microphone, at: now)
      var isBusy = true
      while isBusy {
        switch engine.poll(into: &datagram, at: now) {
        case .transmit(let byteCount): onTheWay.append((0..<byteCount).map { datagram[$0] })
        case .event: break
        case .wait: isBusy = false
        }
      }
      if onTheWay.count > 2 {
        let packet = onTheWay.removeFirst()
        _ = engine.receive(packet.span, at: now)
      }
      times.add(since: start)
    }
    let label = "engine at \(engineRate.hertz / 1_000) kHz"
    return [BenchRow("\(label): whole path, both ways, 10 ms", frameMilliseconds: 10, times: times)]
      + stageRows(engine, label: label)
  }

  private func stageRows(_ engine: borrowing MediaEngine, label: String) -> [BenchRow] {
    let microseconds = 1e6 / MediaEngine.measureTicksPerSecond()
    let seconds = Double(tickCount) / 100
    return engine.stageCosts.map { cost in
      BenchRow(
        "  \(cost.name)", frameMilliseconds: 1_000 * seconds / Double(cost.callCount),
        median: Double(cost.medianTicks) * microseconds, p99: Double(cost.p99Ticks) * microseconds,
        worst: Double(cost.worstTicks) * microseconds,
        sharePercent: 100 * Double(cost.totalTicks) * microseconds * 1e-6 / seconds)
    }
  }
}
