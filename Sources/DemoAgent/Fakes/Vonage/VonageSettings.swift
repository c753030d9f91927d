/// How the fakes of Vonage are set up.
public struct VonageSettings: Sendable {
  /// Samples per second on the Voice WebSocket, as the answer webhook's list asks for: 8000, 16000 or 24000.
  public var sampleRate = 16_000
  /// Packets that the platform queues for the caller: 1024 in older documents, 3072 in newer ones.
  public var queuePackets = 3_072
  /// From `call.create` to the far side's answer, in seconds.
  public var ringSeconds = 0.1
  /// Calls the client so many seconds after its session began; `nil`: never.
  public var inviteSeconds: Double?
  /// Takes the invitation back so many seconds later, with that reason.
  public var inviteCancel: (seconds: Double, reason: String)?

  /// 16 kHz, and no invitations.
  public init() {}
}
