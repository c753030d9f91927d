public import RealtimeCore

/// A loudspeaker or a microphone as the sound server tells of it.
public struct AudioDevice: Sendable, Hashable, Identifiable {
  /// Which way the sound goes.
  public enum Direction: String, Sendable, Hashable, CaseIterable {
    /// From a microphone.
    case capture
    /// To a loudspeaker.
    case playback
  }

  /// The server's own name, by which the device is chosen; stays the same over restarts.
  public let id: String
  /// For people.
  public let name: String
  /// Whether it gives sound or takes it.
  public let direction: Direction
  /// Whether it is taken when none is named.
  public let isDefault: Bool
  /// What the hardware runs at; streams may ask for another rate, and the server resamples.
  public let sampleRate: SampleRate
  /// Of the hardware; streams are mono, and the server mixes.
  public let channelCount: Int
  /// Whether it listens to what a loudspeaker plays, in place of a microphone.
  public let isMonitor: Bool

  /// A device as a server, or a test, tells of it.
  public init(
    id: String, name: String, direction: Direction, isDefault: Bool, sampleRate: SampleRate, channelCount: Int,
    isMonitor: Bool
  ) {
    self.id = id
    self.name = name
    self.direction = direction
    self.isDefault = isDefault
    self.sampleRate = sampleRate
    self.channelCount = channelCount
    self.isMonitor = isMonitor
  }
}

/// What happened to the sound devices, in order.
public enum AudioDeviceEvent: Sendable, Hashable, CustomStringConvertible {
  /// A device was plugged in or made.
  case added(AudioDevice)
  /// A device is gone.
  case removed(AudioDevice)
  /// Another device is taken from now on where none is named; `nil`: there is none.
  case defaultChanged(AudioDevice.Direction, id: String?)
  /// A stream plays or records on this device from now on, by choice or since its own is gone.
  case moved(AudioDevice.Direction, id: String)
  /// A stream's device is gone and there is no other; it goes on as soon as there is one.
  case unavailable(AudioDevice.Direction)
  /// The connection to the sound server broke; it is tried again every second.
  case serverLost
  /// The sound server answers again.
  case serverBack

  /// One line for people.
  public var description: String {
    switch self {
    case .added(let device): "new \(device.direction) device \(device.id) (\(device.name))"
    case .removed(let device): "\(device.direction) device \(device.id) (\(device.name)) is gone"
    case .defaultChanged(let direction, let id): "the default \(direction) device is \(id ?? "none") now"
    case .moved(let direction, let id): "\(direction) goes on at \(id)"
    case .unavailable(let direction): "there is no \(direction) device; waiting for one"
    case .serverLost: "the sound server is gone; trying again every second"
    case .serverBack: "the sound server is back"
    }
  }
}
