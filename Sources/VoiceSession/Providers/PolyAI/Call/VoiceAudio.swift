internal import AudioDevices

/// A device that the agent may be heard on.
public struct VoiceAudioDevice: Sendable, Hashable, Identifiable {
  /// What sort of device.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Held to the ear.
    case earpiece
    /// Heard by all around.
    case speakerphone
    /// On the head, by cable.
    case wiredHeadset
    /// On the head, by radio.
    case bluetooth
    /// The system does not say.
    case unknown

    /// On the head: taken first, when there is one.
    public var isAccessory: Bool { self == .wiredHeadset || self == .bluetooth }
  }

  /// The system's own name.
  public let id: String
  /// For people.
  public let name: String
  /// What sort.
  public let kind: Kind

  /// A device.
  public init(id: String, name: String, kind: Kind) {
    self.id = id
    self.name = name
    self.kind = kind
  }
}

/// Where the agent may be heard, and where it is.
public struct VoiceAudioState: Sendable, Hashable {
  /// What there is.
  public var availableDevices: [VoiceAudioDevice]
  /// Where the agent is heard; `nil` when that is not known.
  public var selectedDevice: VoiceAudioDevice?

  /// A state.
  public init(availableDevices: [VoiceAudioDevice] = [], selectedDevice: VoiceAudioDevice? = nil) {
    self.availableDevices = availableDevices
    self.selectedDevice = selectedDevice
  }
}

/// Which device is taken: what the user chose while it is there, else a headset, else the loudspeaker or the earpiece as
/// the call's options say, else the system's own choice.
struct VoiceRouting: Sendable {
  let prefersSpeakerphone: Bool
  private(set) var devices: [AudioDevice] = []
  private(set) var chosen: String?

  init(prefersSpeakerphone: Bool) { self.prefersSpeakerphone = prefersSpeakerphone }

  /// - Parameter id: `nil`: by the rules again.
  mutating func choose(_ id: String?) { chosen = id }

  /// What there is now; a choice that is gone is forgotten.
  mutating func take(_ new: [AudioDevice]) {
    devices = new
    if let chosen, !loudspeakers.contains(where: { $0.id == chosen }) { self.chosen = nil }
  }

  private var loudspeakers: [AudioDevice] { devices.filter { $0.direction == .playback } }

  /// The device to use; `nil`: the system's default.
  var loudspeaker: String? {
    if let chosen { return chosen }
    let wanted: VoiceAudioDevice.Kind = prefersSpeakerphone ? .speakerphone : .earpiece
    let all = loudspeakers.map { VoiceAudioDevice($0) }
    return (all.first { $0.kind.isAccessory } ?? all.first { $0.kind == wanted })?.id
  }

  /// The microphone that belongs to it; `nil`: the system's default.
  var microphone: String? {
    guard let id = loudspeaker, let device = devices.first(where: { $0.id == id }) else { return nil }
    let stem = Self.stem(id)
    return devices.first {
      $0.direction == .capture && !$0.isMonitor && ($0.name == device.name || Self.stem($0.id) == stem)
    }?.id
  }

  var state: VoiceAudioState {
    let all = loudspeakers
    let id = loudspeaker ?? all.first(where: \.isDefault)?.id
    return VoiceAudioState(
      availableDevices: all.map { VoiceAudioDevice($0) },
      selectedDevice: all.first { $0.id == id }.map { VoiceAudioDevice($0) })
  }

  /// Without what tells the two directions of one device apart: "bluez_output.XX.1" and "bluez_input.XX.1".
  private static func stem(_ id: String) -> String {
    var stem = id
    for word in ["output", "input", "sink", "source"] { stem = stem.replacing(word, with: "") }
    return stem
  }
}

extension VoiceAudioDevice {
  /// The sound server has no kinds; its names tell.
  init(_ device: AudioDevice) {
    let words = (device.id + " " + device.name).lowercased()
    func has(_ names: String...) -> Bool { names.contains { words.contains($0) } }
    let kind: Kind =
      if has("bluez", "bluetooth") { .bluetooth } else if has("headset", "headphone") {
        .wiredHeadset
      } else if has(
        "earpiece", "handset")
      { .earpiece } else if has("speaker") { .speakerphone } else { .unknown }
    self.init(id: device.id, name: device.name, kind: kind)
  }
}
