internal import MediaEngine
internal import Networking
internal import RTPTransport

/// The sound of a session whose audio goes by WebRTC.
///
/// What is asked of it is done one after the other, so that an answer is not overtaken by a candidate.
/// - Threads: the loop's.
final class PeerSound {
  let connection: PeerConnection
  private var last: Task<Void, Never>?
  private var reading: Task<Void, Never>?

  init(_ settings: PeerConnectionSettings, sound: CallSound, on loop: EventLoop) throws(SessionError) {
    do { connection = try PeerConnection(settings, sound: sound, on: loop) } catch {
      throw SessionError(.media, "no peer connection: \(error)", isRetryable: false)
    }
  }

  /// Begins to tell what happens, in order.
  func read(_ tell: @escaping @Sendable (SessionMediaEvent) async -> Void) {
    let events = connection.events
    reading = Task {
      for await event in events {
        if let event = SessionMediaEvent(event) { await tell(event) }
      }
    }
  }

  /// Does what comes of an action, behind all that was asked before.
  func perform(_ action: SessionMediaAction, _ tell: @escaping @Sendable (SessionMediaEvent) async -> Void) {
    let (connection, before) = (connection, last)
    last = Task {
      await before?.value
      do throws(PeerConnectionError) {
        switch action {
        case .openPeer(_, _, let offers): if offers { await tell(.offer(try await connection.makeOffer())) }
        case .acceptAnswer(let text): try await connection.accept(answer: text)
        case .acceptProvisionalAnswer(let text): try await connection.accept(provisionalAnswer: text)
        case .acceptOffer(let text):
          await connection.rollBack()
          await tell(.answer(try await connection.accept(offer: text)))
        case .addCandidate(let line):
          // A candidate of a kind that is not known here costs a path, not the call.
          do throws(PeerConnectionError) { try await connection.add(candidate: line) } catch {
            if case .malformedCandidate = error { return }
            throw error
          }
        case .endOfCandidates: try await connection.endOfCandidates()
        case .restartICE: await tell(.offer(try await connection.restartICE()))
        case .resume: await connection.send(.resume)
        // A peer's agent cannot be kept for later: it is turned down only.
        case .hold: await connection.send(.duck)
        case .flush: await connection.send(.flush)
        case .mute(let isMuted): await connection.send(.mute(isMuted))
        case .deafen(let isDeafened): await connection.send(.deafen(isDeafened))
        case .send(let isSending): await connection.send(.send(isSending))
        case .pressKey(let code, let milliseconds):
          await connection.send(.pressKey(code: code, milliseconds: milliseconds))
        case .openStream, .close, .play, .finish: break
        }
      } catch {
        if case .closed = error { return }
        await tell(.failed(SessionError(.media, "\(error)", isRetryable: false)))
      }
    }
  }

  /// When it returns, everything of it is released.
  nonisolated(nonsending) func end() async {
    await connection.close()
    reading?.cancel()
    await last?.value
  }
}

extension SessionMediaEvent {
  /// `nil`: of no interest to a session.
  fileprivate init?(_ event: PeerConnectionEvent) {
    switch event {
    case .localCandidate(let candidate, let mid): self = .localCandidate(candidate.description, mid: mid)
    case .endOfLocalCandidates: self = .endOfLocalCandidates
    case .state(.connected): self = .connected
    case .state(.disconnected): self = .disconnected
    case .failed(let error):
      // A path may be found anew; an engine or a device that does not start will not do so by itself.
      let isOfPath = if case .transport = error { true } else { false }
      self = .failed(SessionError(.media, "\(error)", isRetryable: isOfPath))
    case .media(let event):
      guard let event = SessionMediaEvent(event) else { return nil }
      self = event
    case .state, .selectedPair, .mediaStarted: return nil
    }
  }

  /// `nil`: of no interest to a session.
  init?(_ event: MediaEvent) {
    switch event {
    case .speechStarted: self = .speechStarted
    case .speechEnded: self = .speechEnded
    case .keyPressed(let code): self = .keyPressed(code)
    case .keyReleased, .remoteStreamChanged, .remoteStreamEnded, .sourceCollision, .markReached: return nil
    }
  }
}
