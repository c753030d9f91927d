public import RealtimeCore

// The four calls for callers that hold spans, arrays or buffers; where time does not matter they read best.
extension MediaEngine {
  /// As `capture` for views.
  @_noLocks
  public mutating func capture(_ microphone: Span<Float>, at now: MediaInstant) {
    capture(SampleView(microphone), at: now)
  }

  /// Takes all of a buffer.
  @_noLocks
  public mutating func capture(_ microphone: borrowing SampleBuffer, at now: MediaInstant) {
    capture(microphone.view, at: now)
  }

  /// As `receive` for views.
  @_noLocks
  @discardableResult
  public mutating func receive(_ datagram: Span<UInt8>, at now: MediaInstant) -> ReceiveOutcome {
    receive(ByteView(datagram), at: now)
  }

  /// Fills all of a buffer.
  @_noLocks
  public mutating func render(into loudspeaker: inout SampleBuffer, at now: MediaInstant) {
    var samples = loudspeaker.mutableSpan
    render(into: &samples, at: now)
  }

  /// Hands over the next datagram or event in a buffer.
  @_noLocks
  public mutating func poll(into datagram: inout ByteBuffer, at now: MediaInstant) -> MediaOutput {
    var bytes = datagram.mutableSpan
    return poll(into: &bytes, at: now)
  }

  /// Fills all of an array. Not for the audio thread: an array that is shared is copied first.
  public mutating func render(into loudspeaker: inout [Float], at now: MediaInstant) {
    var samples = loudspeaker.mutableSpan
    render(into: &samples, at: now)
  }

  /// Hands over the next datagram or event in an array. Not for the audio thread, as above.
  public mutating func poll(into datagram: inout [UInt8], at now: MediaInstant) -> MediaOutput {
    var bytes = datagram.mutableSpan
    return poll(into: &bytes, at: now)
  }
}
