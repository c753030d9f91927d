internal import Foundation
internal import JitterBuffer
internal import MediaEngine
internal import Networking
internal import RTPTransport
internal import RealtimeCore

// A session's sound: opened when the dialect knows how, then looked after every few milliseconds.
extension SessionDriver {
  /// The audio thread wakes nobody, as that would be a system call: this is how long it waits to be asked.
  private static var pumpInterval: Int64 { 10_000_000 }

  func carryOut(_ action: SessionMediaAction) {
    do throws(SessionError) {
      switch action {
      case .openStream(let send, let receive, let milliseconds): try openStream(send, receive, milliseconds)
      case .openPeer(let servers, let trickles, _):
        try openPeer(servers, trickles)
        forward(action)
      case .close: closeSound()
      case .play(let bytes, let item): try stream?.play(bytes, item: item)
      case .finish(let item): stream?.finish(item: item)
      case .flush(let item): if let stream { stream.flush(upTo: item) } else { forward(action) }
      default: if let stream { stream.carryOut(action) } else { forward(action) }
      }
    } catch { take(.media(.failed(error))) }
  }

  private func forward(_ action: SessionMediaAction) {
    peer?.perform(action) { [weak self, soundNumber] event in await self?.take(event, from: soundNumber) }
  }

  private func take(_ event: SessionMediaEvent, from number: Int) {
    if number == soundNumber { take(.media(event)) }
  }

  /// Ends what there is of sound; `release` waits for it.
  func closeSound() {
    soundNumber += 1
    pumpTimer = nil
    watch = SoundWatch()
    guard stream != nil || peer != nil else { return }
    let number = soundNumber
    endingSounds[number] = (stream, peer)
    (stream, peer) = (nil, nil)
    closing.append(Task { await endSound(number) })
  }

  private func endSound(_ number: Int) async {
    await endingSounds[number]?.stream?.end()
    await endingSounds[number]?.peer?.end()
    endingSounds[number] = nil
  }

  private func openStream(
    _ send: FramedAudioFormat, _ receive: FramedAudioFormat, _ milliseconds: Int
  ) throws(SessionError) {
    let sound = environment.sound
    let stream = try StreamSound(
      environment.engine, send: send, receive: receive, packetMilliseconds: milliseconds, rate: sound.sampleRate)
    self.stream = stream
    pump()
    let number = soundNumber
    Task {
      do throws(SessionError) {
        try await stream.start(sound)
        take(.connected, from: number)
      } catch { take(.failed(error), from: number) }
    }
  }

  private func openPeer(_ servers: [ICEServer], _ trickles: Bool) throws(SessionError) {
    var settings = environment.peer
    settings.engine = environment.engine
    settings.trickles = trickles
    settings.transport.ice.servers += servers
    let peer = try PeerSound(settings, sound: environment.sound, on: loop)
    self.peer = peer
    peer.read { [weak self, soundNumber] event in await self?.take(event, from: soundNumber) }
    pump()
  }

  /// Takes what the engine has made and noticed, and comes again.
  func pump() {
    if let stream {
      stream.pass()
      stream.microphone { take(.media(.microphone($0))) }
      while let event = stream.nextEvent() {
        if let event = SessionMediaEvent(event) { take(.media(event)) }
      }
      look(at: stream.snapshot)
    } else if let peer {
      look(at: peer.connection.assumeIsolated { $0.snapshot })
    } else {
      return
    }
    pumpTimer = loop.schedule(at: EventLoop.now.advanced(byNanoseconds: Self.pumpInterval)) { [weak self] in
      self?.assumeIsolated { $0.pump() }
    }
  }

  private func look(at snapshot: MediaSnapshot?) {
    guard let snapshot else { return }
    let now = EventLoop.now
    for event in watch.events(of: snapshot, at: now) { take(.media(event)) }
    if watch.wantsLevels(at: now) { publish(SessionLevels(snapshot)) }
  }
}

extension StreamSound {
  /// What is the same for any sound.
  func carryOut(_ action: SessionMediaAction) {
    switch action {
    case .hold: send(.hold)
    case .resume: send(.resume)
    case .mute(let isMuted): send(.mute(isMuted))
    case .deafen(let isDeafened): send(.deafen(isDeafened))
    case .send(let isSending): send(.send(isSending))
    default: break  // of peers only
    }
  }
}

/// Sees in snapshots what a session wants to know.
struct SoundWatch {
  private var playout: SessionPlayout?
  private var receivedPackets = 0
  private var isReceiving: Bool?
  private var microphone = EnergyMeter()
  private var agent = EnergyMeter()
  private var nextReception = MediaInstant.zero
  private var nextLevels = MediaInstant.zero

  mutating func events(of snapshot: MediaSnapshot, at now: MediaInstant) -> [SessionMediaEvent] {
    var events: [SessionMediaEvent] = []
    let heard =
      snapshot.agentItem < 0
      ? nil : SessionPlayout(item: snapshot.agentItem, milliseconds: snapshot.agentMilliseconds)
    if heard != playout {
      playout = heard
      events.append(.playout(heard))
    }
    let (source, inbound) = (snapshot.statistics.mediaSource, snapshot.statistics.inboundRTP)
    if let level = microphone.level(source.totalAudioEnergy, source.totalSamplesDuration) {
      events.append(.microphoneLevel(level))
    }
    if let level = agent.level(inbound.totalAudioEnergy, inbound.totalSamplesDuration) {
      events.append(.agentLevel(level))
    }
    if now >= nextReception {
      nextReception = now.advanced(byNanoseconds: 1_000_000_000)
      let packets = snapshot.statistics.inboundRTP.packetsReceived
      let receives = packets > receivedPackets
      receivedPackets = packets
      if receives != isReceiving, receives || isReceiving == true { events.append(.receiving(receives)) }
      isReceiving = receives
    }
    return events
  }

  /// 20 times a second.
  mutating func wantsLevels(at now: MediaInstant) -> Bool {
    guard now >= nextLevels else { return false }
    nextLevels = now.advanced(byNanoseconds: 50_000_000)
    return true
  }
}

/// A level from counters of energy and duration, which add up, so that no block is missed between two snapshots.
private struct EnergyMeter {
  private var energy = 0.0
  private var seconds = 0.0

  /// In dBFS since the last call; `nil` when no time has passed.
  mutating func level(_ newEnergy: Double, _ newSeconds: Double) -> Double? {
    let (energy, seconds) = (newEnergy - energy, newSeconds - seconds)
    guard seconds > 0 else { return nil }
    (self.energy, self.seconds) = (newEnergy, newSeconds)
    return 10 * log10(max(1e-12, energy / seconds))
  }
}
