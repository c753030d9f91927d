internal import AudioCodecs
internal import MediaEngine
internal import Networking
internal import RealtimeCore

/// The sound of a session whose audio goes as messages of a socket: an engine on the device's thread, whose microphone
/// comes out in packets of one size, and whose agent takes what came in any size and any burst.
///
/// - Threads: the loop's.
final class StreamSound {
  private let link = EngineLink()
  private let client: EngineClient
  private let sendsMuLaw: Bool
  private var running: CallSound.Running?
  private var isEnded = false
  /// What has not got into the ring yet, oldest first.
  private var waiting: [(bytes: ArraySlice<UInt8>, item: Int, isLast: Bool)] = []
  private var waitingByteCount = 0
  private var newestItem = 0
  /// RTP's header, which the engine writes before each payload (RFC 3550 §5.1).
  private static let headerByteCount = 12
  /// What an agent may be ahead of its own voice, beside the engine's two minutes; bytes.
  private static let largestBacklog = 32 << 20

  /// An engine for these formats.
  /// - Parameter rate: of the sound's blocks.
  init(
    _ settings: MediaEngineSettings, send: FramedAudioFormat, receive: FramedAudioFormat, packetMilliseconds: Int,
    rate: SampleRate
  ) throws(SessionError) {
    var settings = settings
    settings.captureRate = rate
    settings.renderRate = rate
    let duration = packetMilliseconds * 1_000
    sendsMuLaw = send.encoding == .muLaw
    settings.sendFormat = sendsMuLaw ? .pcmu(packetDuration: duration) : .l16(send.sampleRate, packetDuration: duration)
    settings.agentStream = receive.encoding == .muLaw ? .coded(.pcmu) : .pcm16(receive.sampleRate)
    settings.telephoneEventType = nil
    settings.redundancy = nil
    settings.control = nil
    settings.security = nil
    settings.headerExtension = HeaderExtensionSettings()
    settings.sendsSilenceWhenMuted = true
    guard let ends = link.takeAudioEnds() else { preconditionFailure("a new link has its ends") }
    do { client = try EngineClient(settings, ends) } catch {
      throw SessionError(.media, "the engine cannot be made: \(error)", isRetryable: false)
    }
  }

  /// Begins to call the engine.
  nonisolated(nonsending) func start(_ sound: CallSound) async throws(SessionError) {
    do {
      let running = try await sound.begin(client)
      if isEnded { await running.end() } else { self.running = running }
    } catch {
      throw SessionError(.media, "the sound does not start: \(error)", isRetryable: true)
    }
  }

  /// When it returns, the engine is not called any more.
  nonisolated(nonsending) func end() async {
    isEnded = true
    if let running {
      self.running = nil
      await running.end()
    }
  }

  /// Tells the engine something.
  func send(_ command: MediaCommand) { _ = link.push(command) }

  /// Takes sound of a turn.
  func play(_ bytes: [UInt8], item: Int) throws(SessionError) {
    guard waitingByteCount + bytes.count <= Self.largestBacklog else {
      throw SessionError(
        .media, code: "backlog", "the agent is too far ahead of its own voice; its sound is dropped", isRetryable: false
      )
    }
    newestItem = max(newestItem, item)
    var rest = bytes[...]
    while !rest.isEmpty {
      waiting.append((rest.prefix(AgentChunk.capacity), item, false))
      rest = rest.dropFirst(AgentChunk.capacity)
    }
    waitingByteCount += bytes.count
    pass()
  }

  /// The turn is complete.
  func finish(item: Int) {
    waiting.append(([], item, true))
    pass()
  }

  /// Silences turns; what of them has not got to the engine is gone.
  func flush(upTo item: Int?) {
    // By number even for all: pieces on their way to the engine are meant too.
    let last = item ?? newestItem
    waiting.removeAll { $0.item <= last }
    waitingByteCount = waiting.reduce(0) { $0 + $1.bytes.count }
    send(.flushUpTo(item: last))
  }

  /// Hands the engine what fits into the ring.
  func pass() {
    var passed = 0
    for piece in waiting {
      let packet = AgentChunk.packet(piece.bytes, item: piece.item, isLast: piece.isLast)
      guard link.offer(packet.span, at: EventLoop.now) else { break }
      waitingByteCount -= piece.bytes.count
      passed += 1
    }
    if passed > 0 { waiting.removeFirst(passed) }
  }

  /// The microphone's packets since the last call, as the socket wants them.
  func microphone(_ take: ([UInt8]) -> Void) {
    link.drain { datagram in
      guard datagram.count > Self.headerByteCount else { return }
      var payload = [UInt8](capacity: datagram.count - Self.headerByteCount) { output in
        for index in Self.headerByteCount..<datagram.count { output.append(datagram[index]) }
      }
      // L16 of RTP has the most significant byte first (RFC 3551 §4.5.11), sockets the least.
      if !sendsMuLaw { for index in stride(from: 0, to: payload.count - 1, by: 2) { payload.swapAt(index, index + 1) } }
      take(payload)
    }
  }

  /// What the engine noticed.
  func nextEvent() -> MediaEvent? { link.nextEvent() }

  /// The engine as it was a moment ago.
  var snapshot: MediaSnapshot? { link.latestSnapshot() }
}
