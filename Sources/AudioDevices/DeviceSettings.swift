public import RealtimeCore

/// What is asked of the devices of a call.
public struct DeviceSettings: Sendable, Hashable {
  /// What the client's samples run at; the server resamples where the hardware runs at another rate.
  public var sampleRate: SampleRate = .hz48000
  /// The microphone; `nil`: the default one, also when that changes.
  public var capture: String?
  /// The loudspeaker; `nil`: the default one, also when that changes.
  public var playback: String?
  /// How much sound lies between client and hardware in each direction, in milliseconds, 2 to 500. The server gives what
  /// comes nearest.
  public var latencyMilliseconds: Double = 10
  /// Whether the microphone is opened.
  public var capturesAudio = true
  /// Whether the loudspeaker is opened.
  public var playsAudio = true
  /// What the user's mixer shows.
  public var streamName = "call"

  /// The default devices at 48 kHz, 10 ms each way.
  public init() {}

  func check() throws(AudioDeviceError) {
    guard (2...500).contains(latencyMilliseconds) else {
      throw .invalidSetting("a device latency of \(latencyMilliseconds) ms is outside 2 to 500 ms")
    }
    guard (8_000...192_000).contains(sampleRate.hertz) else {
      throw .invalidSetting("devices run at 8000 to 192000 Hz, not at \(sampleRate)")
    }
    guard capturesAudio || playsAudio else {
      throw .invalidSetting("neither capture nor playback is asked for; ask for one of them at least")
    }
  }
}

/// What happened at one device of a call since its start.
public struct DeviceStatistics: Sendable, Hashable {
  /// The server's name of the device in use; `nil`: there is none at the moment.
  public var device: String?
  /// Samples that passed between client and device.
  public var sampleCount = 0
  /// Times that the device had nothing to play, or that recorded sound was lost.
  public var xrunCount = 0
  /// Between client and hardware, at the last block, in milliseconds.
  public var latencyMilliseconds = 0.0
}
