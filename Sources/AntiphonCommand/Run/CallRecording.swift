import Antiphon

/// The recordings of a call, written as it goes on.
struct CallFiles: ~Copyable {
  private var microphone: AudioFileWriter
  private var heard: AudioFileWriter
  private var played: AudioFileWriter

  init(_ outputs: OutputFiles, directory: String, nearRate: SampleRate, farRate: SampleRate) throws {
    let microphone = try outputs.audio(directory + "/microphone.wav", format: .mono(nearRate))
    let heard = try outputs.audio(directory + "/heard.wav", format: .mono(farRate))
    let played = try outputs.audio(directory + "/played.wav", format: .mono(nearRate))
    self.microphone = microphone
    self.heard = heard
    self.played = played
  }

  /// Appends what the last tick made.
  mutating func write(_ call: borrowing VirtualCall) throws {
    try microphone.write(call.microphone.span)
    try heard.write(call.heard.span)
    try played.write(call.played.span)
  }

  /// Completes the files.
  mutating func finish() throws {
    try microphone.finish()
    try heard.finish()
    try played.finish()
  }
}

/// What is kept of a running call for its report: series in bounded memory, and the first two minutes of each signal for
/// players and pictures.
struct CallRecording {
  /// Seconds of each signal that the report shows.
  static let shownSeconds = 120

  let nearRate: SampleRate
  let farRate: SampleRate
  private(set) var agent: [Float] = []
  private(set) var played: [Float] = []
  private(set) var user: [Float] = []
  private(set) var microphone: [Float] = []
  private(set) var heard: [Float] = []

  // Every 10 ms.
  private(set) var playoutDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var targetDelay = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var farPlayoutDelay = SeriesRecorder(intervalSeconds: 0.01)
  /// Where only the agent speaks; a gap elsewhere.
  private(set) var echoReturnLossEnhancement = SeriesRecorder(intervalSeconds: 0.01)
  /// The same once the filter has had 3 s to learn the room, without the gaps.
  private(set) var echoAlone = SeriesRecorder(intervalSeconds: 0.01)
  /// The room's own loss at those times.
  private(set) var echoLossAlone = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var concealed = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var lost = SeriesRecorder(intervalSeconds: 0.01, .sum)
  private(set) var voice = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var userBands: [Float] = []
  private(set) var agentBands: [Float] = []
  let bandCount: Int
  private(set) var tickCount = 0
  private var quietTickCount = 0
  private var concealedBefore = 0
  private var lostBefore = 0

  init(nearRate: SampleRate, farRate: SampleRate, bandCount: Int) {
    self.nearRate = nearRate
    self.farRate = farRate
    self.bandCount = bandCount
  }

  /// Notes what the last tick made.
  mutating func note(
    _ call: borrowing VirtualCall, user userBlock: borrowing SampleBuffer, agent agentBlock: borrowing SampleBuffer
  ) {
    if tickCount < Self.shownSeconds * 100 {
      agent.append(agentBlock)
      user.append(userBlock)
      played.append(call.played)
      microphone.append(call.microphone)
      heard.append(call.heard)
      for band in 0..<bandCount {
        userBands.append(call.near.captureLevel(band))
        agentBands.append(call.near.renderLevel(band))
      }
    }
    tickCount += 1

    let statistics = call.near.statistics
    playoutDelay.append(call.near.playoutDelayMilliseconds)
    targetDelay.append(call.near.targetDelayMilliseconds)
    farPlayoutDelay.append(call.far.playoutDelayMilliseconds)
    let enhancement = statistics.mediaSource.echoReturnLossEnhancement
    // While the user speaks the canceller rightly takes less away, so only the agent alone counts, and only when the
    // figure's own memory of a second holds nothing else. The filter has 3 s to learn the room.
    quietTickCount = userBlock.isQuiet ? quietTickCount + 1 : 0
    // Before the user has spoken there is nothing else to remember.
    let isAlone = quietTickCount > 150 || quietTickCount == tickCount
    echoReturnLossEnhancement.append(isAlone ? enhancement : .nan)
    if tickCount > 300, isAlone, !agentBlock.isQuiet {
      echoAlone.append(enhancement)
      echoLossAlone.append(statistics.mediaSource.echoReturnLoss)
    }
    let concealedNow = statistics.inboundRTP.concealedSamples
    concealed.append(concealedNow > concealedBefore ? 1 : 0)
    concealedBefore = concealedNow
    let lostNow = call.downlink.counts.lost
    lost.append(Double(lostNow - lostBefore))
    lostBefore = lostNow
    voice.append(statistics.mediaSource.voiceActivity ? 1 : 0)
  }
}

extension SampleBuffer {
  /// Below -50 dBFS.
  fileprivate var isQuiet: Bool { Kernel.energy(view) < 1e-5 * Float(count) }
}
