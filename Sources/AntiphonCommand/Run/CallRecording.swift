import Antiphon

/// What is kept of a running call: files are written as they come, series in bounded memory, and the first two minutes of
/// each signal for players and pictures.
struct CallRecording: ~Copyable {
  /// Seconds of each signal that the report shows.
  static let shownSeconds = 120

  private var microphoneFile: AudioFileWriter
  private var heardFile: AudioFileWriter
  private var playedFile: AudioFileWriter

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
  private(set) var echoReturnLossEnhancement = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var concealed = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var lost = SeriesRecorder(intervalSeconds: 0.01, .sum)
  private(set) var voice = SeriesRecorder(intervalSeconds: 0.01, .maximum)
  private(set) var userBands: [Float] = []
  private(set) var agentBands: [Float] = []
  let bandCount: Int
  private(set) var tickCount = 0
  private var concealedBefore = 0
  private var lostBefore = 0

  init(directory: String, nearRate: SampleRate, farRate: SampleRate, bandCount: Int) throws {
    let microphoneFile = try AudioFileWriter(path: directory + "/microphone.wav", format: .mono(nearRate))
    let heardFile = try AudioFileWriter(path: directory + "/heard.wav", format: .mono(farRate))
    let playedFile = try AudioFileWriter(path: directory + "/played.wav", format: .mono(nearRate))
    self.microphoneFile = consume microphoneFile
    self.heardFile = consume heardFile
    self.playedFile = consume playedFile
    self.nearRate = nearRate
    self.farRate = farRate
    self.bandCount = bandCount
  }

  /// Notes what the last tick made.
  mutating func note(_ call: borrowing VirtualCall, user userBlock: borrowing SampleBuffer, agent agentBlock: borrowing SampleBuffer) throws {
    try microphoneFile.write(call.microphone.span)
    try heardFile.write(call.heard.span)
    try playedFile.write(call.played.span)
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
    echoReturnLossEnhancement.append(statistics.mediaSource.echoReturnLossEnhancement)
    let concealedNow = statistics.inboundRTP.concealedSamples
    concealed.append(concealedNow > concealedBefore ? 1 : 0)
    concealedBefore = concealedNow
    let lostNow = call.downlink.counts.lost
    lost.append(Double(lostNow - lostBefore))
    lostBefore = lostNow
    voice.append(statistics.mediaSource.voiceActivity ? 1 : 0)
  }

  /// Completes the files.
  mutating func finish() throws {
    try microphoneFile.finish()
    try heardFile.finish()
    try playedFile.finish()
  }
}

extension [Float] {
  fileprivate mutating func append(_ block: borrowing SampleBuffer) {
    for index in 0..<block.count { append(block[index]) }
  }
}
