internal import AudioCodecs
internal import RTPTransport
internal import RealtimeCore
internal import SignalProcessing

/// The microphone's way to the wire. Blocks of any size go in; protected packets wait in the outgoing ring.
///
///     microphone → resample → [cancel echo → suppress noise → level → detect voice → bands] → encode → RTP → SRTP
///                             ‾‾‾‾‾‾‾‾‾‾‾‾‾‾‾ CaptureProcessing, 10 ms at a time ‾‾‾‾‾‾‾‾‾   ‾‾‾ PacketSender ‾‾‾
struct CapturePath: ~Copyable {
  private var toEngineRate: RateAdapter
  var processing: CaptureProcessing
  private var toCodecRate: RateAdapter
  var sender: PacketSender

  /// Whether silence is sent in place of the microphone; echo canceller and levels go on.
  var isMuted = false
  /// Whether packets are made at all.
  var isSending = true
  private let sendsSilenceWhenMuted: Bool

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let codecRate = settings.sendFormat.codingRate(near: settings.engineRate)
    let toEngineRate = try RateAdapter(from: settings.captureRate, to: settings.engineRate)
    let processing = try CaptureProcessing(settings)
    let toCodecRate = try RateAdapter(from: settings.engineRate, to: codecRate)
    let sender = try PacketSender(settings, codecRate: codecRate)
    self.toEngineRate = toEngineRate
    self.processing = processing
    self.toCodecRate = toCodecRate
    self.sender = sender
    sendsSilenceWhenMuted = settings.sendsSilenceWhenMuted
  }

  @_noLocks
  mutating func process(
    _ microphone: borrowing SampleView, at now: MediaInstant, _ times: inout StageTimes, _ events: inout EventQueue
  ) {
    var taken = 0
    while taken < microphone.count {
      times.start()
      taken &+= toEngineRate.append(microphone.extracting(taken..<microphone.count))
      times.end(.captureResampling)
      while toEngineRate.count >= processing.frameSampleCount {
        Self.process(&toEngineRate, by: &processing, into: &toCodecRate, isMuted: isMuted, &times, &events)
        sender.isSilenced = !isSending || isMuted && !sendsSilenceWhenMuted
        let isVoice = processing.source.voiceActivity && !isMuted
        Self.send(&toCodecRate, by: &sender, isVoice: isVoice, at: now, &times)
      }
    }
  }

  // A span of one stored property borrows all of `self`, so the parts are handed over one by one.

  @_noLocks
  private static func process(
    _ queue: inout RateAdapter, by processing: inout CaptureProcessing, into next: inout RateAdapter, isMuted: Bool,
    _ times: inout StageTimes, _ events: inout EventQueue
  ) {
    var frame = queue.mutableFront(processing.frameSampleCount)
    processing.process(&frame, &times, &events)
    if isMuted { for index in frame.indices { frame[index] = 0 } }
    _ = next.append(SampleView(&frame))
    queue.removeFront(processing.frameSampleCount)
  }

  @_noLocks
  private static func send(
    _ queue: inout RateAdapter, by sender: inout PacketSender, isVoice: Bool, at now: MediaInstant,
    _ times: inout StageTimes
  ) {
    while queue.count >= sender.frameSampleCount {
      sender.send(queue.front(sender.frameSampleCount), isVoice: isVoice, at: now, &times)
      queue.removeFront(sender.frameSampleCount)
    }
  }

  /// Samples that the resampler found to be no numbers.
  var nonFiniteSamples: Int { @_noLocks get { toEngineRate.nonFiniteSamples } }

  var captureResamplingMilliseconds: Double { toEngineRate.latencyMilliseconds }
  var codecResamplingMilliseconds: Double { toCodecRate.latencyMilliseconds }

  /// A copy of the oldest waiting packet; 0 when none waits.
  @_noLocks
  mutating func nextPacket(into datagram: inout MutableSpan<UInt8>) -> PacketSender.Next {
    sender.nextPacket(into: &datagram)
  }

  @_noLocks
  mutating func setBitrate(_ bitsPerSecond: Int) { sender.setBitrate(bitsPerSecond) }

  @_noLocks
  mutating func setExpectedPacketLoss(_ percent: Int) { sender.setExpectedPacketLoss(percent) }
}
