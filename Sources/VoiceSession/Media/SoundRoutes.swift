public import AudioDevices
internal import Synchronization

/// The devices that a call's sound may go to, and the choice among them while it runs.
public struct SoundRoutes: Sendable {
  /// What there is at this moment; may take as long as a sound server takes.
  public let devices: @Sendable () throws -> [AudioDevice]
  /// Goes on at another device, now and when the sound starts anew; `nil`: the default one. May take as long.
  public let select: @Sendable (_ device: String?, AudioDevice.Direction) throws -> Void
  /// What happens to devices and streams from the call on.
  public let events: @Sendable () throws -> AsyncStream<AudioDeviceEvent>

  /// Routes of sound of your own.
  public init(
    devices: @escaping @Sendable () throws -> [AudioDevice],
    select: @escaping @Sendable (_ device: String?, AudioDevice.Direction) throws -> Void,
    events: @escaping @Sendable () throws -> AsyncStream<AudioDeviceEvent>
  ) {
    self.devices = devices
    self.select = select
    self.events = events
  }
}

/// The system's devices for the calls on one `CallSound`, which share a choice.
final class RoutedDevices: Sendable {
  private struct State: Sendable {
    /// Lives as long as a stream or a reader of events needs it.
    weak var system: AudioSystem?
    var streams: [Int: DuplexStream] = [:]
    var streamCount = 0
    var capture: String?
    var playback: String?
  }

  private let state: Mutex<State>

  init(_ settings: DeviceSettings) {
    state = Mutex(State(capture: settings.capture, playback: settings.playback))
  }

  var routes: SoundRoutes {
    SoundRoutes(
      devices: { try self.system().devices() }, select: { try self.select($0, $1) }, events: { try self.events() })
  }

  func start(
    _ client: DeviceClient, _ settings: DeviceSettings, _ onEvent: (@Sendable (AudioDeviceEvent) -> Void)?
  ) throws -> CallSound.Running {
    let system = try system()
    var settings = settings
    (settings.capture, settings.playback) = state.withLock { ($0.capture, $0.playback) }
    let listener = onEvent.map { system.addListener($0) }
    let stream: DuplexStream
    do { stream = try system.start(client, settings) } catch {
      if let listener { system.removeListener(listener) }
      throw error
    }
    let number = state.withLock { state in
      state.streamCount += 1
      state.streams[state.streamCount] = stream
      return state.streamCount
    }
    return CallSound.Running {
      self.state.withLock { _ = $0.streams.removeValue(forKey: number) }
      stream.stop()
      if let listener { system.removeListener(listener) }
    }
  }

  private func system() throws(AudioDeviceError) -> AudioSystem {
    try state.withLock { state throws(AudioDeviceError) in
      if let system = state.system { return system }
      let made = try AudioSystem()
      state.system = made
      return made
    }
  }

  private func select(_ device: String?, _ direction: AudioDevice.Direction) throws(AudioDeviceError) {
    for stream in state.withLock({ Array($0.streams.values) }) { try stream.select(device, direction) }
    state.withLock { if direction == .capture { $0.capture = device } else { $0.playback = device } }
  }

  private func events() throws(AudioDeviceError) -> AsyncStream<AudioDeviceEvent> {
    let system = try system()
    return AsyncStream { continuation in
      let listener = system.addListener { continuation.yield($0) }
      continuation.onTermination = { _ in system.removeListener(listener) }
    }
  }
}
