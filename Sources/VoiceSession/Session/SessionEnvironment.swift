public import MediaEngine
public import Networking

/// What a session of any system stands on: the sound, the network and their limits.
public struct SessionEnvironment: Sendable {
  /// Where microphone and loudspeaker are.
  public var sound: CallSound
  /// The loop that serves sockets and timers; sessions may share one.
  public var loop: EventLoop
  /// Processing of the microphone, and the jitter buffer. Codecs and rates are the system's.
  public var engine = MediaEngineSettings.voiceAgent
  /// How a WebRTC peer is reached, where the system has one. Servers, trickle and engine are set by the session.
  public var peer = PeerConnectionSettings()
  /// Limits of the sockets.
  public var webSocket: WebSocketSettings
  /// Limits of the requests.
  public var http = HTTPClient.Settings()
  /// Whether addresses beyond this machine may be reached without TLS.
  public var allowsUnencrypted = false
  /// Whether the agent falls silent at once when the user begins to speak, and goes on if that was a false alarm.
  public var holdsAgentOnSpeech = true

  /// How long the end of a session waits for a server to take notice of it, where that goes by a request; seconds.
  public var farewellSeconds = 5.0

  /// The defaults, on a loop of its own.
  public init(sound: CallSound, on loop: EventLoop = EventLoop()) {
    self.sound = sound
    self.loop = loop
    webSocket = WebSocketSettings()
    // Ten seconds of sound in one message of JSON are above 1 MB.
    webSocket.maximumMessageBytes = 16 << 20
    webSocket.receiveBufferBytes = 16 << 20
    // Three minutes of the microphone: a peer that takes nothing for so long is gone.
    webSocket.sendBufferBytes = 8 << 20
    webSocket.sendBacklogBytes = 9 << 20
  }

  /// The system's devices.
  public static var devices: SessionEnvironment { SessionEnvironment(sound: .devices()) }
}
