internal import Foundation

/// Microphone and loudspeaker of one call, running. It ends with `stop`, or with its life.
///
/// A device that goes away is told as an event of the system, and the stream goes on at the default device, or as soon
/// as there is one.
/// - Threads: any; never the audio thread.
public final class DuplexStream: Sendable {
  private let system: AudioSystem
  private let server: PulseServer
  private let capture: PulseStream?
  private let playback: PulseStream?

  init(
    _ system: AudioSystem, _ server: PulseServer, _ client: DeviceClient, _ settings: DeviceSettings
  ) throws(AudioDeviceError) {
    try settings.check()
    let devices = try server.freshDevices()
    try Self.check(settings.capturesAudio, .capture, settings.capture, devices)
    try Self.check(settings.playsAudio, .playback, settings.playback, devices)
    self.system = system
    self.server = server
    capture = settings.capturesAudio ? PulseStream(server, .capture, settings, client) : nil
    playback = settings.playsAudio ? PulseStream(server, .playback, settings, client) : nil
    do throws(AudioDeviceError) {
      for stream in [playback, capture] {
        if let stream { try Self.begin(stream, server) }
      }
    } catch {
      stop()
      throw error
    }
  }

  deinit { stop() }

  /// Ends the sound. When it returns, the client is not called any more. Calling it again does nothing.
  public func stop() {
    server.loop.locked {
      for stream in [capture, playback] {
        guard let stream else { continue }
        stream.close()
        server.remove(stream)
      }
    }
  }

  /// Goes on at another microphone or loudspeaker; `nil`: the default one.
  public func select(_ device: String?, _ direction: AudioDevice.Direction) throws(AudioDeviceError) {
    try Self.check(true, direction, device, server.freshDevices())
    server.loop.locked { (direction == .capture ? capture : playback)?.select(device) }
  }

  /// What happened so far at the microphone.
  public var captureStatistics: DeviceStatistics { capture?.statistics ?? DeviceStatistics() }
  /// What happened so far at the loudspeaker.
  public var playbackStatistics: DeviceStatistics { playback?.statistics ?? DeviceStatistics() }

  private static func check(
    _ isWanted: Bool, _ direction: AudioDevice.Direction, _ id: String?, _ devices: [AudioDevice]
  ) throws(AudioDeviceError) {
    guard isWanted else { return }
    guard let id else {
      if !devices.contains(where: { $0.direction == direction }) { throw .noDevices(direction) }
      return
    }
    if !devices.contains(where: { $0.direction == direction && $0.id == id }) { throw .noDevice(id: id, direction) }
  }

  private static func begin(_ stream: PulseStream, _ server: PulseServer) throws(AudioDeviceError) {
    try server.loop.locked { () throws(AudioDeviceError) in
      server.add(stream)
      stream.open()
      try server.wait(doing: "opening \(stream.direction)") { _ in stream.isRunning || stream.refusal != nil }
      if let refusal = stream.refusal { throw .refused(doing: "\(stream.direction)", reason: refusal) }
    }
  }
}
