/// Where a call with a PolyAI agent stands.
public enum VoiceCallState: Sendable, Hashable {
  /// It was not started.
  case idle
  /// Being made.
  case connecting
  /// Both can hear each other.
  case connected
  /// It is over as it should be.
  case ended
  /// It is over, or did not begin.
  case failed(PolyError)

  /// Connecting or connected.
  public var isActive: Bool { self == .connecting || self == .connected }

  init(_ state: SessionState) {
    switch state {
    case .idle: self = .idle
    case .preparing, .connecting, .ringing: self = .connecting
    case .active: self = .connected
    case .ended: self = .ended
    case .failed(let error): self = .failed(PolyError(error))
    }
  }
}
