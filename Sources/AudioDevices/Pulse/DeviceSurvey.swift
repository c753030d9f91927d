internal import RealtimeCore

/// The devices as they come in from the server, one by one.
struct DeviceSurvey {
  private(set) var devices: [AudioDevice] = []
  private var defaults: [AudioDevice.Direction: String] = [:]

  mutating func setDefaults(playback: String, capture: String) { defaults = [.playback: playback, .capture: capture] }

  /// Takes a device; one whose rate or channels cannot be is left out, for nothing could be done with it.
  mutating func add(
    id: String, name: String, _ direction: AudioDevice.Direction, hertz: Int, channels: Int, monitor: Bool
  ) {
    guard let sampleRate = try? SampleRate(hertz: hertz), channels > 0 else { return }
    devices.append(
      AudioDevice(
        id: id, name: name.isEmpty ? id : name, direction: direction, isDefault: defaults[direction] == id,
        sampleRate: sampleRate, channelCount: channels, isMonitor: monitor))
  }

  /// What happened between two surveys: first what is gone, then what is new, then new defaults.
  static func events(from old: [AudioDevice], to new: [AudioDevice]) -> [AudioDeviceEvent] {
    func has(_ list: [AudioDevice], _ device: AudioDevice) -> Bool {
      list.contains { $0.id == device.id && $0.direction == device.direction }
    }
    func usual(_ list: [AudioDevice], _ direction: AudioDevice.Direction) -> String? {
      list.first { $0.direction == direction && $0.isDefault }?.id
    }
    var events = old.filter { !has(new, $0) }.map(AudioDeviceEvent.removed)
    events += new.filter { !has(old, $0) }.map(AudioDeviceEvent.added)
    for direction in AudioDevice.Direction.allCases where usual(old, direction) != usual(new, direction) {
      events.append(.defaultChanged(direction, id: usual(new, direction)))
    }
    return events
  }
}
