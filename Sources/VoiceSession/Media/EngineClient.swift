public import AudioDevices
internal import MediaEngine
public import RealtimeCore

/// A call's engine on a sound device's thread.
///
/// Each block brings what has come from the network in the meantime to the engine and takes to the rings what it has to
/// send. Nothing else is shared with the thread that has the socket: datagrams, commands, events and snapshots go through
/// rings and cells, so neither waits for the other.
public final class EngineClient: DeviceClient, @unchecked Sendable {
  private var engine: MediaEngine
  private var arriving: PacketRing.Reader
  private var leaving: PacketRing.Writer
  private var commands: ValueRing<MediaCommand>.Reader
  private var events: ValueRing<MediaEvent>.Writer
  private var snapshots: LatestValue<MediaSnapshot?>.Publisher
  private var datagram = ByteBuffer(repeating: 0, count: EngineLink.maximumDatagramByteCount)
  private var nextSnapshot = MediaInstant.zero
  private var captureLatency: Int64 = 0
  private var renderLatency: Int64 = 0
  private var knownEchoDelay = 0
  private let bandCount: Int
  /// Whether what comes are pieces of an agent's turns (`AgentChunk`) in place of datagrams.
  private let takesStream: Bool
  /// Bytes of the piece in front that the engine has taken already.
  private var takenOfFront = 0

  /// An engine and the audio thread's ends of a link's rings.
  init(_ settings: MediaEngineSettings, _ ends: consuming EngineLink.AudioEnds) throws(MediaEngineError) {
    engine = try MediaEngine(settings)
    arriving = ends.arriving
    leaving = ends.leaving
    commands = ends.commands
    events = ends.events
    snapshots = ends.snapshots
    bandCount = min(16, settings.bandCount)
    takesStream = settings.agentStream != nil
  }

  public override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    captureLatency = moment.latencyNanoseconds
    takeWhatCame(at: moment.now)
    engine.capture(samples, at: moment.now)
    handOver(at: moment.now)
    publishSnapshot(at: moment.now)
  }

  public override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    renderLatency = moment.latencyNanoseconds
    tellEchoDelay()
    takeWhatCame(at: moment.now)
    engine.render(into: &samples, at: moment.now)
    handOver(at: moment.now)
  }

  /// Ends what is sent, and hands over the goodbye. For whoever has stopped the sound, and so is the engine's only driver.
  func leave(at now: MediaInstant) {
    engine.leave()
    handOver(at: now)
  }

  private func takeWhatCame(at now: MediaInstant) {
    while let command = commands.pop() { carryOut(command) }
    while let arrival = arriving.frontArrival() {
      if takesStream {
        // What the store has no room for waits in the ring.
        guard Self.append(&arriving, to: &engine, &takenOfFront, at: arrival) else { return }
      } else {
        Self.receive(&arriving, by: &engine, at: arrival)
      }
      arriving.removeFront()
    }
  }

  private static func append(
    _ arriving: inout PacketRing.Reader, to engine: inout MediaEngine, _ taken: inout Int, at arrival: MediaInstant
  ) -> Bool {
    let front = arriving.front()
    guard let (item, isLast) = AgentChunk.header(of: front) else { return true }
    let size = front.count
    let outcome = engine.append(
      agentAudio: front.extracting(AgentChunk.headerByteCount &+ taken..<size), to: item, at: arrival)
    if case .full = outcome.kind {
      taken = taken &+ outcome.byteCount
      return false
    }
    taken = 0
    if isLast { engine.finish(item: item) }
    return true
  }

  private static func receive(
    _ arriving: inout PacketRing.Reader, by engine: inout MediaEngine, at arrival: MediaInstant
  ) {
    engine.receive(arriving.front(), at: arrival)
  }

  private func carryOut(_ command: MediaCommand) {
    switch command {
    case .mute(let isMuted): engine.isMuted = isMuted
    case .send(let isSending): engine.isSending = isSending
    case .pressKey(let code, let milliseconds): _ = engine.pressKey(code, milliseconds: milliseconds)
    case .flush: engine.flush()
    case .flushUpTo(let item): engine.flush(upToItem: item)
    case .duck: engine.duck()
    case .hold: engine.hold()
    case .resume: engine.resume()
    case .deafen(let isDeafened): engine.isDeafened = isDeafened
    case .setBitrate(let bitsPerSecond): engine.setBitrate(bitsPerSecond)
    }
  }

  private func handOver(at now: MediaInstant) {
    while true {
      switch Self.poll(&engine, into: &datagram, at: now) {
      case .transmit(let byteCount): Self.write(datagram, byteCount, to: &leaving, at: now)
      case .event(let event): _ = events.push(event)
      case .wait: return
      }
    }
  }

  // In a class, a view of one stored property borrows all: the parts are handed over one by one.

  private static func poll(
    _ engine: inout MediaEngine, into datagram: inout ByteBuffer, at now: MediaInstant
  ) -> MediaOutput {
    var bytes = datagram.mutableSpan
    return engine.poll(into: &bytes, at: now)
  }

  private static func write(
    _ datagram: borrowing ByteBuffer, _ byteCount: Int, to leaving: inout PacketRing.Writer, at now: MediaInstant
  ) {
    _ = leaving.write(datagram.view(0..<byteCount), at: now)
  }

  /// The echo comes no earlier than after both devices' latency; a change below 10 ms is theirs to find, not ours to tell.
  private func tellEchoDelay() {
    let delay = Int((captureLatency + renderLatency) / 1_000_000)
    guard delay >= 0, delay <= 500, abs(delay - knownEchoDelay) >= 10 else { return }
    knownEchoDelay = delay
    engine.echoDelayMilliseconds = delay
  }

  private func publishSnapshot(at now: MediaInstant) {
    guard now >= nextSnapshot else { return }
    nextSnapshot = now.advanced(byNanoseconds: 20_000_000)
    var snapshot = MediaSnapshot(statistics: engine.statistics)
    snapshot.bandCount = bandCount
    for band in 0..<bandCount {
      snapshot.captureLevels[band] = engine.captureLevel(band)
      snapshot.renderLevels[band] = engine.renderLevel(band)
    }
    snapshot.targetDelayMilliseconds = engine.targetDelayMilliseconds
    snapshot.playoutDelayMilliseconds = engine.playoutDelayMilliseconds
    if let position = engine.agentPosition(latencyNanoseconds: renderLatency) {
      snapshot.agentItem = position.item
      snapshot.agentMilliseconds = Double(position.nanoseconds) * 1e-6
    }
    snapshot.captureLatencyMilliseconds = Double(captureLatency) * 1e-6
    snapshot.renderLatencyMilliseconds = Double(renderLatency) * 1e-6
    snapshots.publish(snapshot)
  }
}
