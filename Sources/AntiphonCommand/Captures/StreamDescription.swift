import Antiphon
import Foundation

/// One RTP stream of a capture, in full. Names are those of W3C's webrtc-stats where it has one; times are seconds.
struct StreamDescription: Encodable {
  /// As `RTCCodecStats`, and how much of the stream it is.
  struct Codec: Encodable {
    var payloadType: Int
    /// "audio/PCMU"; `nil` where nothing tells.
    var mimeType: String?
    var clockRate: Int?
    var channels: Int?
    /// Who names it: the user (choice), its number or SDP (standard), the packets themselves (shape).
    var namedBy: String?
    /// Different packets, and their bytes without headers.
    var packets: Int
    var bytes: Int
    /// Whether it is sound, as pressed keys and comfort noise are not.
    var isSound: Bool
    var isDecodable: Bool
    /// How long the packets play.
    var soundSeconds: Double?
  }

  struct Burst: Encodable {
    var firstSequenceNumber: Int
    var packets: Int
    /// After the stream's first packet.
    var startSeconds: Double
    /// From the packet before to the packet behind.
    var gapSeconds: Double
  }

  struct Event: Encodable {
    var key: String
    var code: Int
    /// After the stream's first packet, by the media clock.
    var startSeconds: Double
    var durationSeconds: Double
    /// Below 1 mW at the zero point; as the sender tells.
    var decibelsBelow: Int
    /// Its last packet came.
    var hasEnded: Bool
  }

  /// Place in the file, from 1.
  var number: Int
  /// As in Wireshark: hexadecimal.
  var ssrc: String
  var source: String
  var destination: String
  var codecs: [Codec]
  /// Second copies included.
  var packetsReceived: Int
  var packetsExpected: Int
  /// Expected ones that never came; never negative.
  var packetsLost: Int
  var packetsDuplicated: Int
  var packetsReordered: Int
  var bytesReceived: Int
  /// Bursts, of two or more packets, and the packets in them.
  var burstLossCount: Int
  var burstPacketsLost: Int
  /// Every hole, single packets too.
  var lossBursts: [Burst]
  var firstSequenceNumber: Int
  var lastSequenceNumber: Int
  var restarts: Int
  /// RFC 3550 §6.4.1, of the sound: last, mean and largest value of the running estimate, in seconds.
  var jitter: Double
  var jitterMean: Double
  var jitterMaximum: Double
  /// The media clock, told or guessed.
  var clockRate: Int?
  /// Most packets' length.
  var packetSeconds: Double?
  /// From the first timestamp to the end of the last packet.
  var mediaSeconds: Double?
  /// What can be decoded.
  var soundSeconds: Double
  /// From the first arrival to the last.
  var arrivalSeconds: Double
  /// The first packet's arrival, since 1970.
  var firstArrival: Double
  /// All pressed keys as one word: "2013785496".
  var keys: String
  var telephoneEvents: [Event]
  var isPlayable: Bool
  var warnings: [String]
}

extension StreamDescription {
  init(_ captured: CapturedStream, number: Int) {
    let stream = captured.stream
    let jitter = stream.mainPayload.jitter
    self.number = number
    ssrc = hexadecimal(stream.identity.ssrc)
    source = stream.identity.source.description
    destination = stream.identity.destination.description
    codecs = captured.payloads.map { Codec($0, in: captured) }
    packetsReceived = stream.receivedCount
    packetsExpected = stream.expectedCount
    packetsLost = stream.lostCount
    packetsDuplicated = stream.duplicateCount
    packetsReordered = stream.reorderedCount
    bytesReceived = stream.payloads.map(\.payloadByteCount).reduce(0, +)
    let bursts = stream.lossBursts
    burstLossCount = bursts.filter { $0.packetCount > 1 }.count
    burstPacketsLost = bursts.filter { $0.packetCount > 1 }.map(\.packetCount).reduce(0, +)
    lossBursts = bursts.map { burst in
      Burst(
        firstSequenceNumber: Int(burst.first.rawValue), packets: burst.packetCount,
        startSeconds: burst.arrivals.lowerBound.milliseconds(since: stream.arrivals.lowerBound) / 1_000,
        gapSeconds: burst.arrivals.upperBound.milliseconds(since: burst.arrivals.lowerBound) / 1_000)
    }
    firstSequenceNumber = Int(stream.firstSequenceNumber.rawValue)
    lastSequenceNumber = Int(stream.lastSequenceNumber.rawValue)
    restarts = stream.restartCount
    self.jitter = jitter.milliseconds / 1_000
    jitterMean = jitter.meanMilliseconds / 1_000
    jitterMaximum = jitter.largestMilliseconds / 1_000
    clockRate = stream.clockRate
    packetSeconds = stream.clockRate.map { Double(stream.packetTicks) / Double($0) }
    mediaSeconds = stream.mediaSeconds
    soundSeconds = captured.soundSeconds
    arrivalSeconds = stream.arrivals.upperBound.milliseconds(since: stream.arrivals.lowerBound) / 1_000
    firstArrival = Double(stream.arrivals.lowerBound.nanoseconds) * 1e-9
    let ticks = Double(stream.clockRate ?? stream.telephoneEventClockRate)
    let eventTicks = Double(stream.telephoneEventClockRate)
    telephoneEvents = stream.telephoneEvents.map { event in
      Event(
        key: event.key, code: Int(event.code), startSeconds: Double(event.startTicks) / ticks,
        durationSeconds: Double(event.durationTicks) / eventTicks, decibelsBelow: event.volume,
        hasEnded: event.hasEnded)
    }
    keys = stream.telephoneEvents.filter { $0.code < 16 }.map(\.key).joined()
    isPlayable = captured.isPlayable
    warnings = captured.warnings
  }

  /// Lines for people.
  var text: [String] {
    var lines = ["  stream \(number)    SSRC \(ssrc), \(source) to \(destination)"]
    for codec in codecs {
      let shape = codec.namedBy == CapturedStream.Payload.NameSource.shape.rawValue ? " (by its shape)" : ""
      let name =
        codec.mimeType.map { "\($0.split(separator: "/").last ?? "")/\(codec.clockRate ?? 0)\(shape)" } ?? "unknown"
      let note = codec.isSound && !codec.isDecodable ? ", not decodable here" : ""
      let sound = codec.soundSeconds.map { String(format: ", %.3f s of sound", $0) } ?? ""
      lines.append(
        "    payload   \(codec.payloadType) \(name), \(counted(codec.packets, "packet")), \(codec.bytes) bytes\(sound)\(note)"
      )
    }
    let share = packetsExpected > 0 ? 100 * Double(packetsLost) / Double(packetsExpected) : 0
    lines.append(
      "    packets   \(packetsReceived - packetsDuplicated) of \(packetsExpected), lost \(packetsLost)"
        + String(format: " (%.2f %%)", share) + ", duplicates \(packetsDuplicated), reordered \(packetsReordered)")
    for burst in lossBursts.prefix(20) {
      lines.append(
        String(
          format: "    loss      %@ from number %d on, at %.3f s, nothing for %.0f ms",
          counted(burst.packets, "packet"), burst.firstSequenceNumber, burst.startSeconds, 1_000 * burst.gapSeconds))
    }
    if lossBursts.count > 20 { lines.append("    loss      and \(lossBursts.count - 20) more holes") }
    let length = packetSeconds.map { String(format: ", packets of %g ms", ($0 * 1e6).rounded() / 1_000) } ?? ""
    lines.append(
      String(
        format: "    duration  %@ (arrivals over %.3f s)%@",
        mediaSeconds.map { String(format: "%.3f s", $0) } ?? "unknown", arrivalSeconds, length))
    lines.append(
      String(
        format: "    jitter    largest %.3f ms, mean %.3f ms, last %.3f ms", 1_000 * jitterMaximum, 1_000 * jitterMean,
        1_000 * jitter))
    if !telephoneEvents.isEmpty {
      let list = telephoneEvents.prefix(40).map { String(format: "%@ (%.0f ms)", $0.key, 1_000 * $0.durationSeconds) }
      lines.append("    keys      \(list.joined(separator: " "))\(telephoneEvents.count > 40 ? " …" : "")")
    }
    return lines
  }
}

extension StreamDescription.Codec {
  init(_ payload: CapturedStream.Payload, in captured: CapturedStream) {
    payloadType = Int(payload.use.payloadType)
    mimeType = payload.name.map { "\($0.media == .video ? "video" : "audio")/\($0.encoding)" }
    clockRate = payload.name?.clockRate ?? payload.use.jitter.clockRate
    channels = payload.name?.channelCount
    namedBy = payload.nameSource?.rawValue
    packets = payload.use.packetCount
    bytes = payload.use.payloadByteCount
    isSound = payload.use.isSound
    let carriesSound = payload.name?.isRedundant == true && captured.carried.contains { $0.format != nil }
    isDecodable = payload.format != nil || carriesSound
    soundSeconds = payload.soundSeconds
  }
}
