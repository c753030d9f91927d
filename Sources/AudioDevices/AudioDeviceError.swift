/// Why sound devices cannot be used, and what to do about it.
public enum AudioDeviceError: Error, Equatable, Sendable, CustomStringConvertible {
  /// No sound server answers at this address (`nil`: where libpulse looks by itself).
  case noServer(address: String?, reason: String)
  /// The server did not answer within the time.
  case timedOut(doing: String, seconds: Double)
  /// There is no such device.
  case noDevice(id: String, AudioDevice.Direction)
  /// There is no device at all in this direction.
  case noDevices(AudioDevice.Direction)
  /// The server, or the device, refuses.
  case refused(doing: String, reason: String)
  /// The device tells a format that nothing can be made of.
  case unusableFormat(id: String, hertz: Int, channelCount: Int)
  /// The caller asked for what no device can do.
  case invalidSetting(String)
  /// The stream was ended already.
  case ended

  /// One sentence for people: what is wrong and what to do.
  public var description: String {
    switch self {
    case .noServer(let address, let reason):
      "no sound server answers\(address.map { " at \($0)" } ?? ""): \(reason); start PulseAudio or PipeWire, or set "
        + "PULSE_SERVER to where it listens"
    case .timedOut(let doing, let seconds): "the sound server did not answer within \(seconds) s while \(doing)"
    case .noDevice(let id, let direction): "there is no \(direction) device '\(id)'; list them and choose another"
    case .noDevices(let direction): "there is no \(direction) device; plug one in, or use a file or the null device"
    case .refused(let doing, let reason): "the sound server refuses \(doing): \(reason)"
    case .unusableFormat(let id, let hertz, let channels):
      "device '\(id)' tells \(hertz) Hz and \(channels) channels, which cannot be; choose another device"
    case .invalidSetting(let what): what
    case .ended: "the stream was stopped already; make another one"
    }
  }
}
