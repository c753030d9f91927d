import Antiphon
import Foundation

/// The sound devices of this machine.
struct DevicesCommand: Command {
  static let name = "devices"
  static let summary = "list microphones and loudspeakers, and watch them come and go"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.flag("--watch", "go on, and tell what is plugged in and out, until Ctrl-C"),
    ArgumentSyntax.flag("--json", "one JSON object a line, one line a device"),
  ])
  static let example = "antiphon devices --json"
  static let notes = """
    Devices are those of PulseAudio, or of PipeWire through its PulseAudio side; PULSE_SERVER names another server.
    The first word of a line is what --capture and --playback of other commands take; * marks the default.
    """

  private struct Line: Encodable {
    var id: String
    var name: String
    var direction: String
    var isDefault: Bool
    var rate: Int
    var channels: Int
    var isMonitor: Bool

    init(_ device: AudioDevice) {
      id = device.id
      name = device.name
      direction = device.direction.rawValue
      isDefault = device.isDefault
      rate = device.sampleRate.hertz
      channels = device.channelCount
      isMonitor = device.isMonitor
    }

    var text: String {
      let kind = isMonitor ? "what a loudspeaker plays" : direction == "capture" ? "microphone" : "loudspeaker"
      return "\(isDefault ? "*" : " ") \(id)  \(kind), \(rate) Hz, \(channels) ch  (\(name))"
    }
  }

  private let watches: Bool
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    watches = arguments.has("--watch")
    printsJSON = arguments.has("--json")
  }

  func run() throws {
    let system = try AudioSystem()
    let devices = try system.devices().map(Line.init)
    for device in devices { try Terminal.line(printsJSON ? JSONText.encode(device) : device.text) }
    if devices.isEmpty { Terminal.error("antiphon devices: the sound server has no device") }
    guard watches else { return }
    let queue = DispatchQueue(label: "events")
    let closed = DispatchSemaphore(value: 0)
    let number = system.addListener { event in
      // Printing may wait; the thread of the devices must not.
      queue.async { if (try? Terminal.line(event.description)) == nil { closed.signal() } }
    }
    closed.wait()
    system.removeListener(number)
  }
}
