/// How the fake's ElevenLabs agent is set up, as one would in the vendor's console.
public struct ElevenLabsSettings: Sendable {
  /// The agent's id; `nil`: any.
  public var agentID: String?
  /// Whether callers need a signed URL or a token.
  public var isPrivate = false
  /// What `xi-api-key` must be; `nil`: anything but empty.
  public var apiKey: String?
  /// Of the sound that the agent sends: `pcm_8000` … `pcm_48000`, `ulaw_8000`.
  public var outputFormat = "pcm_16000"
  /// Of the sound that it takes.
  public var inputFormat = "pcm_16000"
  /// Seconds between pings; the vendor's are not published.
  public var pingSeconds = 2.0
  /// After so long without the pong the socket is closed with 1008; the vendor's limit is not published.
  public var pongSeconds = 20.0
  /// Parts of the configuration that callers may override; another one closes the socket with 1008.
  public var allowedOverrides: Set<String> = [
    "agent.prompt", "agent.first_message", "agent.language", "tts", "conversation.text_only",
    "conversation.client_events", "asr",
  ]
  /// Sound in one `audio` event, in ms.
  public var chunkMilliseconds = 250
  /// Whether `audio` events carry the times of the characters.
  public var sendsAlignment = true
  /// The longest call; beyond, an `error` tells `max_duration_exceeded`. `nil`: no limit.
  public var maximumSeconds: Double?

  /// A public agent at 16 kHz.
  public init() {}
}
