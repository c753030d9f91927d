import Antiphon
import Foundation

/// Live levels of a microphone and of what a loudspeaker plays.
struct MonitorCommand: Command {
  static let name = "monitor"
  static let summary = "show the live levels of microphone and loudspeaker"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.captureDevice,
    ArgumentSyntax.playbackDevice,
    ArgumentSyntax.value("--bands", "N", "frequency bands, 1 to 100 (default: 10)"),
    ArgumentSyntax.value("--rate-hz", "N", "updates a second, 1 to 100 (default: 30)"),
    ArgumentSyntax.value("--seconds", "N", "how long (default: until Ctrl-C)"),
    ArgumentSyntax.flag("--json", "JSON lines, also on a terminal"),
  ])
  static let example = "antiphon monitor --json --seconds 5"
  static let notes = """
    On a terminal: a meter for each, until Ctrl-C. Anywhere else, one JSON object a line with RMS and peak in dBFS (null:
    silence) and the bands of both.
    """

  private let capture: String?
  private let playback: String?
  private let bandCount: Int
  private let updatesPerSecond: Int
  private let seconds: Double?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    capture = arguments.text("--capture")
    playback = arguments.text("--playback")
    bandCount = try arguments.number("--bands", in: 1...100) ?? 10
    updatesPerSecond = try arguments.number("--rate-hz", in: 1...100) ?? 30
    seconds = try arguments.decimal("--seconds", in: 0.1...86_400)
    printsJSON = arguments.has("--json") || !Terminal.outputIsTerminal
  }

  func run() throws {
    let system = try AudioSystem()
    let devices = try system.devices()
    let loudspeaker = playback ?? devices.first { $0.direction == .playback && $0.isDefault }?.id
    let monitor = loudspeaker.flatMap { id in devices.first { $0.id == id + ".monitor" || $0.id == id && $0.isMonitor }
    }
    if let playback, monitor == nil {
      throw CommandFailure("there is no loudspeaker '\(playback)' to listen to; see 'antiphon devices'")
    }
    let names = [("microphone", capture, true), ("loudspeaker", monitor?.id, monitor != nil)]
    var meters: [LiveMeter] = []
    for (name, id, isThere) in names where isThere {
      meters.append(try LiveMeter(name, id, of: system, bandCount: bandCount))
    }
    let began = ContinuousClock.now
    var isDrawn = false
    while seconds.map({ ContinuousClock.now - began < .seconds($0) }) ?? true {
      usleep(UInt32(1_000_000 / updatesPerSecond))
      let time = (ContinuousClock.now - began) / .seconds(1)
      for meter in meters { meter.update(at: time) }
      if printsJSON {
        try Terminal.line("{" + meters.map { "\"\($0.name)\":\($0.reading.json)" }.joined(separator: ",") + "}")
      } else {
        let up = isDrawn ? "\u{1B}[\(meters.count)A" : ""
        try Terminal.outputText(up + meters.map { "\r" + $0.bar(columns: Terminal.columns) + "\u{1B}[K\n" }.joined())
        isDrawn = true
      }
    }
  }
}

/// One live source of sound, measured.
private final class LiveMeter {
  let name: String
  private let stream: DuplexStream
  private var samples: SampleRing.Reader
  private var meter: LevelMeter
  private var bands: BandLevels
  private var block: SampleBuffer
  private(set) var reading: LevelReading

  init(_ name: String, _ id: String?, of system: AudioSystem, bandCount: Int) throws {
    self.name = name
    // A second of room: more than any terminal waits.
    let ring = SampleRing(minimumCapacity: 48_000)
    let unused = SampleRing(minimumCapacity: 1)
    meter = try LevelMeter(sampleRate: .hz48000)
    bands = try BandLevels(sampleRate: .hz48000, bandCount: bandCount, settings: .voice(bandCount: bandCount))
    block = SampleBuffer(repeating: 0, count: 4_800)
    reading = LevelReading(time: 0, rms: Decibels.floor, peak: Decibels.floor, bands: [])
    var settings = DeviceSettings()
    settings.capture = id
    settings.playsAudio = false
    settings.streamName = "monitor"
    let writer = ring.writer
    let reader = ring.reader
    let nothing = unused.reader
    stream = try system.start(RingClient(captured: writer, toPlay: nothing), settings)
    samples = reader
  }

  deinit { stream.stop() }

  /// Measures what came since the last time.
  func update(at time: Double) {
    while case let count = Self.read(&samples, into: &block), count > 0 { feed(count) }
    reading = LevelReading(
      time: time, rms: meter.rmsDecibels, peak: meter.peakDecibels,
      bands: Self.levels(of: bands))
  }

  /// A bar from -60 to 0 dBFS, with the numbers.
  func bar(columns: Int) -> String {
    let numbers = String(format: "%6.1f dBFS, peak %6.1f", max(-99.9, reading.rms), max(-99.9, reading.peak))
    let width = max(4, columns - 42)
    let filled = Int(Float(width) * max(0, min(1, (reading.rms + 60) / 60)))
    let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: width - filled)
    return name.padding(toLength: 12, withPad: " ", startingAt: 0) + bar + " " + numbers
  }

  private func feed(_ count: Int) {
    Self.feed(block, count, to: &meter)
    Self.feed(block, count, to: &bands)
  }

  private static func feed(_ block: borrowing SampleBuffer, _ count: Int, to meter: inout LevelMeter) {
    meter.process(block.view(0..<count))
  }

  private static func feed(_ block: borrowing SampleBuffer, _ count: Int, to bands: inout BandLevels) {
    bands.process(block.view(0..<count))
  }

  private static func levels(of bands: borrowing BandLevels) -> [Float] {
    (0..<bands.bandCount).map { bands.levels[$0] }
  }

  private static func read(_ ring: inout SampleRing.Reader, into block: inout SampleBuffer) -> Int {
    let count = min(ring.availableCount, block.count)
    var target = block.mutableSpan(0..<count)
    return ring.read(into: &target)
  }
}
