internal import Foundation

/// The sound devices of this machine, by its sound server (PulseAudio, or PipeWire through its PulseAudio side).
///
///     let system = try AudioSystem()
///     for device in try system.devices() { print(device.name) }
///     let duplex = try system.start(client, DeviceSettings())
///
/// - Threads: any; calls wait for the server for up to five seconds, so never the audio thread.
public final class AudioSystem: Sendable {
  private let server: PulseServer

  /// Connects to the sound server.
  /// - Parameters:
  ///   - address: as in `PULSE_SERVER`, such as "unix:/run/user/1000/pulse/native"; `nil`: where libpulse finds it.
  ///   - applicationName: what the user's mixer shows.
  public init(address: String? = nil, applicationName: String = "antiphon") throws(AudioDeviceError) {
    server = try PulseServer(address: address, applicationName: applicationName)
  }

  deinit { server.shutDown() }

  /// All devices at this moment, monitors of loudspeakers among them.
  public func devices() throws(AudioDeviceError) -> [AudioDevice] { try server.freshDevices() }

  /// What happens to devices and streams from now on, in order, until the system or the task ends.
  public var events: AsyncStream<AudioDeviceEvent> {
    AsyncStream { [server] continuation in
      let number = server.addListener { continuation.yield($0) }
      continuation.onTermination = { [weak server] _ in server?.removeListener(number) }
    }
  }

  /// Calls `listener` for each event, on the thread of the devices: it must not wait, nor call the system.
  /// - Returns: a number for `removeListener`.
  public func addListener(_ listener: @escaping @Sendable (AudioDeviceEvent) -> Void) -> Int {
    server.addListener(listener)
  }

  /// Ends the calls of a listener.
  public func removeListener(_ number: Int) { server.removeListener(number) }

  /// Whether the thread that calls the client has real-time priority (`SCHED_FIFO`), by itself or by RealtimeKit.
  public var hasRealtimePriority: Bool { server.isRealtime }

  /// Opens the devices and begins to call `client`.
  public func start(_ client: DeviceClient, _ settings: DeviceSettings = DeviceSettings()) throws(AudioDeviceError)
    -> DuplexStream
  {
    try DuplexStream(self, server, client, settings)
  }
}
