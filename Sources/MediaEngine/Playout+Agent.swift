internal import JitterBuffer
internal import RealtimeCore

// What the engine's caller may ask of the agent's sound, whichever way it comes.
extension Playout {
  @_noLocks
  mutating func duck() {
    if stream != nil { stream!.duck() } else { jitterBuffer.duck() }
  }

  @_noLocks
  mutating func hold() {
    if stream != nil { stream!.hold() } else { jitterBuffer.hold() }
  }

  @_noLocks
  mutating func resume() {
    if stream != nil { stream!.resume() } else { jitterBuffer.resume() }
  }

  /// Flushes all that was opened or sent so far.
  @_noLocks
  mutating func flush() -> MediaPosition? {
    if stream != nil { return stream!.flush() }
    guard let heard = jitterBuffer.flush() else { return nil }
    return jitterBuffer.position(of: heard)
  }

  @_noLocks
  mutating func addMark(_ id: Int, at position: MediaPosition) -> Bool {
    if stream != nil { return stream!.addMark(id, at: position) }
    return jitterBuffer.addMark(id, at: position)
  }

  @_noLocks
  mutating func nextMark() -> PlayoutMark? {
    if stream != nil { return stream!.nextMark() }
    return jitterBuffer.nextMark()
  }

  /// What was played `samples` before the next sample.
  @_noLocks
  func position(before samples: Int64) -> MediaPosition? {
    switch stream {
    case .some(let stream): stream.position(ofOutputSample: stream.outputSampleCount &- 1 &- samples)
    case .none: jitterBuffer.position(ofOutputSample: jitterBuffer.outputSampleCount &- 1 &- samples)
    }
  }

  @_noLocks
  func addStream(to statistics: inout MediaStatistics.InboundRTP) {
    switch stream {
    case .some(let stream): statistics.add(stream.statistics)
    case .none: break
    }
  }
}
