import Antiphon
import Foundation

/// The virtual call that the options describe.
struct CallSetup {
  static let bandCount = 10
  private let options: RunOptions

  init(_ options: RunOptions) { self.options = options }

  func settings() throws -> VirtualCall.Settings {
    var near = MediaEngineSettings.voiceAgent
    near.engineRate = options.rate
    near.bandCount = Self.bandCount
    near.measuresStages = true
    var far = MediaEngineSettings.unprocessed
    far.engineRate = .hz48000
    configure(&near)
    configure(&far)
    if options.roomPath != nil { near.echoCanceller?.bulkDelayMilliseconds = Self.deviceDelayMilliseconds - 20 }
    near.stream = .init(ssrc: 0x0A11_CE01, firstSequenceNumber: 1_000, firstTimestamp: 160_000)
    far.stream = .init(ssrc: 0x0B0B_0B02, firstSequenceNumber: 30_000, firstTimestamp: 90_000)
    near.remoteSSRC = far.stream.ssrc
    far.remoteSSRC = near.stream.ssrc
    if options.usesSRTP {
      // Both ends stand in this process, so the keys protect nothing; they exercise the path.
      let up = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0) })
      let down = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8(200 - $0) })
      near.security = .init(send: up, receive: down)
      far.security = .init(send: down, receive: up)
    }

    var settings = VirtualCall.Settings(near: near, far: far)
    settings.downlink = try network()
    settings.uplink = settings.downlink
    settings.seed = options.seed
    settings.deviceDelayMilliseconds = Self.deviceDelayMilliseconds
    settings.room = try options.roomPath.map(Self.room)
    return settings
  }

  /// Codec and its settings are the same both ways.
  private func configure(_ settings: inout MediaEngineSettings) {
    settings.sendFormat = options.format
    settings.receiveFormat = options.format
    settings.opus.bitrate = .bitsPerSecond(options.bitrate)
    settings.opus.complexity = options.complexity
    settings.opus.expectedPacketLoss = options.expectedLoss
    settings.opus.forwardErrorCorrection = options.expectedLoss > 0
  }

  /// What sound card and drivers add between render and capture.
  static let deviceDelayMilliseconds = 40

  private func network() throws -> SimulatedNetwork.Model {
    switch options.network {
    case "clean": return .profile(.clean)
    case "wifi": return .profile(.wifi)
    case "lte": return .profile(.lte)
    case "lossy": return .profile(.lossy)
    default:
      guard options.network.lowercased().hasSuffix(".csv") || FileManager.default.fileExists(atPath: options.network)
      else {
        throw UsageError("--network takes clean, wifi, lte, lossy or a trace file, not '\(options.network)'")
      }
      let trace = try NetworkTrace(path: options.network)
      guard !trace.rows.isEmpty else { throw CommandFailure("\(options.network): the trace has no packets") }
      return .trace(trace.delaysBySequence)
    }
  }

  private static func room(path: String) throws -> [Float] {
    var source = try AudioSource(path: path, sampleRate: .hz48000)
    var taps: [Float] = []
    var block = SampleBuffer(repeating: 0, count: 4_800)
    // Two seconds are a cathedral; more would be a recording given by mistake.
    while try source.fill(&block) {
      for index in 0..<block.count { taps.append(block[index]) }
      guard taps.count <= 96_000 else {
        throw CommandFailure("\(path) is longer than 2 s: give an impulse response, not a recording")
      }
    }
    guard taps.contains(where: { $0 != 0 }) else { throw CommandFailure("\(path) is empty or silent: no echo path") }
    return taps
  }
}

extension NetworkTrace {
  /// For each packet, in the order of sending, the delays in ms of its copies that arrived.
  fileprivate var delaysBySequence: [[Double]] {
    var delays: [[Double]] = []
    var previous: SequenceNumber?
    for row in rows {
      if row.sequenceNumber != previous { delays.append([]) }
      previous = row.sequenceNumber
      if let arrival = row.arrival { delays[delays.count - 1].append(arrival.milliseconds(since: row.sent)) }
    }
    return delays
  }
}
