internal import Networking

/// What a live call remembers of its sound.
struct HablaLive: Sendable {
  var phase = HablaLivePhase.idle
  var isReceiving = false
  /// Of the microphone's newest packet.
  var level = 0.0
  /// The newest turn of the stream that is played: bursts of the tone, then what the far end says.
  var item = 0
  /// Whether the newest turn may go on.
  var isInTurn = false
  /// The first half of a sample: the back end cuts its sound anywhere.
  var oddByte: UInt8?
  var tone: ProgressTone?
}

// Sound both ways, and what follows from it.
extension HablaDialect {
  private static let format = FramedAudioFormat(.pcm16, .hz16000)
  private static let receptionSeconds = 0.3
  /// The back end marks no turns; what stays out so long is no network's delay any more.
  private static let turnSeconds = 1.0

  /// The scalar level that the vendor's app shows, of the microphone as it is sent: 0...1, 0 while muted.
  package var inputLevel: Double { live.level }

  mutating func beginSound(_ session: inout Session) {
    session.media(.openStream(send: Self.format, receive: Self.format, packetMilliseconds: 20))
    guard settings.playsProgressTone else { return }
    live.tone = ProgressTone()
    playTone(&session)
  }

  mutating func playTone(_ session: inout Session) {
    guard let tone = live.tone else { return }
    live.item += 1
    session.media(.play(tone.burst, item: live.item))
    session.media(.finish(item: live.item))
    session.setTimer(.tone, after: ProgressTone.periodSeconds)
  }

  mutating func endTone(_ session: inout Session) {
    guard live.tone != nil else { return }
    live.tone = nil
    session.cancelTimer(.tone)
    session.media(.flush(upTo: live.item))
  }

  mutating func received(sound bytes: [UInt8], _ session: inout Session) {
    guard !bytes.isEmpty else { return }
    connected(&session)
    setReceiving(true, &session)
    session.setTimer(.reception, after: Self.receptionSeconds)
    session.setTimer(.turn, after: Self.turnSeconds)
    var whole = bytes
    if let first = live.oddByte { whole.insert(first, at: 0) }
    live.oddByte = whole.count % 2 == 1 ? whole.removeLast() : nil
    guard !whole.isEmpty else { return }
    if !live.isInTurn {
      live.isInTurn = true
      live.item += 1
    }
    session.media(.play(whole, item: live.item))
  }

  mutating func endTurn(_ session: inout Session) {
    guard live.isInTurn else { return }
    live.isInTurn = false
    session.media(.finish(item: live.item))
  }

  /// What is queued of the far end's words does not count any more.
  mutating func interrupted(_ session: inout Session) {
    setReceiving(false, &session)
    guard session.state.isActive else { return }
    session.cancelTimer(.turn)
    live.isInTurn = false
    session.interrupt(upTo: live.item, turn: nil)
  }

  /// Muted packets are silence already, but for those on their way when the mute came.
  mutating func send(_ packet: [UInt8], _ session: inout Session) {
    let isMuted = session.mute.isMuted
    live.level = isMuted ? 0 : Double(hablaLevelOf: packet)
    updatePhase(&session)
    switch (isMuted, settings.mutedMicrophone) {
    case (false, _): session.send(.binary(packet), to: .call)
    case (true, .silence): session.send(.binary([UInt8](repeating: 0, count: packet.count)), to: .call)
    case (true, .nothing): break
    }
  }

  mutating func setReceiving(_ isReceiving: Bool, _ session: inout Session) {
    if !isReceiving { session.cancelTimer(.reception) }
    guard isReceiving != live.isReceiving else { return }
    live.isReceiving = isReceiving
    session.publish(.notice(.receiving(isReceiving)))
    updatePhase(&session)
  }

  mutating func updatePhase(_ session: inout Session) {
    guard !call.isAgent else { return }
    setPhase(
      .next(
        after: live.phase, isConnected: session.state.isActive, isReceiving: live.isReceiving, level: live.level),
      &session)
  }

  mutating func setPhase(_ phase: HablaLivePhase, _ session: inout Session) {
    guard phase != live.phase else { return }
    live.phase = phase
    session.publish(.notice(.phase(phase)))
    switch phase {
    case .idle: break
    case .listening: session.setAgentState(.listening)
    case .translating: session.setAgentState(.thinking)
    case .speaking: session.setAgentState(.speaking)
    }
  }
}
