import Antiphon
import Foundation
import Synchronization

/// Looks on while a call runs, and says when it is over.
actor CallWatch {
  private let connection: PeerConnection
  private let began = ContinuousClock.now
  private var connectedAt: ContinuousClock.Instant?
  private var figures: CallFigures
  private var end: String?
  private let whenClosed: @Sendable () -> String

  /// - Parameter whenClosed: who has closed the connection, where it was not this program's own command.
  init(
    _ connection: PeerConnection, peer: String, whenClosed: @escaping @Sendable () -> String = { "closed" }
  ) {
    self.connection = connection
    self.whenClosed = whenClosed
    figures = CallFigures(peer: peer)
  }

  /// Returns when the peer has gone, the call has failed, the time is over, the recording has ended, or `stop` returns.
  /// - Parameters:
  ///   - seconds: from the first sound on; `nil`: as long as it takes.
  ///   - hasEnded: whether the microphone's recording is over.
  func run(seconds: Double?, hasEnded: @escaping @Sendable () -> Bool, stop: StopSignal?) async -> String {
    let reading = Task { for await event in connection.events { note(event) } }
    let stopping = Task {
      guard let stop else { return }
      await stop.wait()
      if !Task.isCancelled { finish("stopped by a signal") }
    }
    var lastLook = began
    var recordingEnded: ContinuousClock.Instant?
    while end == nil {
      // Fine steps until the first sound is there, since its time is a figure.
      try? await Task.sleep(for: .milliseconds(figures.firstSoundMilliseconds == nil ? 2 : 20))
      let now = ContinuousClock.now
      if figures.firstSoundMilliseconds == nil || now - lastLook > .milliseconds(100) {
        lastLook = now
        await look(at: now)
      }
      if let connectedAt, let seconds, now - connectedAt >= .seconds(seconds) {
        finish("after the time that was asked for")
      }
      if hasEnded() {
        // What is on its way to the far end is to arrive.
        recordingEnded = recordingEnded ?? now
        if let recordingEnded, seconds == nil, now - recordingEnded > .milliseconds(500) {
          finish("with the end of the recording")
        }
      }
    }
    await look(at: ContinuousClock.now)
    reading.cancel()
    stopping.cancel()
    return end ?? ""
  }

  /// The figures of the call, up to the last look.
  func result() -> CallFigures {
    figures.end = end ?? "it did not begin"
    return figures
  }

  /// Whether sound has flowed.
  var hasConnected: Bool { connectedAt != nil }

  private func finish(_ reason: String) { if end == nil { end = reason } }

  private func note(_ event: PeerConnectionEvent) {
    switch event {
    case .mediaStarted(let negotiated):
      connectedAt = .now
      figures.setupMilliseconds = (ContinuousClock.now - began) / .milliseconds(1)
      figures.codec = negotiated.codec.encoding + "/\(negotiated.codec.clockRate)"
    case .selectedPair(let pair):
      func words(_ candidate: ICECandidate) -> String {
        "\(candidate.kind.rawValue) \(candidate.address) port \(candidate.port)"
      }
      figures.localCandidate = words(pair.local)
      figures.remoteCandidate = words(pair.remote)
    case .media(.keyPressed(let code)): figures.keys.append(TelephoneEvent.key(of: code) ?? "?")
    case .media(.remoteStreamEnded): finish("by the peer")
    // The end of DTLS may be ahead of the goodbye, which the engine reads with its next block.
    case .failed(.transport(.dtls(.closedByPeer))): finish("by the peer")
    case .failed(let error):
      figures.warnings.append("\(error)")
      finish("by a failure")
    case .state(.closed): finish(whenClosed())
    case .localCandidate, .endOfLocalCandidates, .state, .media: break
    }
  }

  private func look(at now: ContinuousClock.Instant) async {
    if let connectedAt { figures.seconds = (now - connectedAt) / .seconds(1) }
    guard let snapshot = await connection.snapshot else { return }
    figures.statistics = snapshot.statistics
    figures.playoutDelayMilliseconds = snapshot.playoutDelayMilliseconds
    if figures.firstSoundMilliseconds == nil, snapshot.statistics.inboundRTP.packetsReceived > 0 {
      figures.firstSoundMilliseconds = (now - began) / .milliseconds(1)
    }
    if figures.srtpCipher == nil {
      figures.srtpCipher = await connection.transportStatistics.srtpCipher.map { "\($0)" }
    }
  }
}
