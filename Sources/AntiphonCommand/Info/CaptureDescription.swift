import Antiphon
import Foundation

/// A packet capture and its RTP streams in short; `antiphon capture-info` has the rest.
struct CaptureDescription: FileDescription {
  struct Stream: Encodable {
    /// As in Wireshark: hexadecimal.
    var ssrc: String
    var source: String
    var destination: String
    var payloads: [Payload]
    var packets: Int
    var lost: Int
    var duplicates: Int
    var reordered: Int
    /// Of the media, by its timestamps; `nil` where the clock rate is not known.
    var seconds: Double?
    /// From the first packet's arrival to the last one's.
    var arrivalSeconds: Double
    /// RFC 3550 §6.4.1 of the payload type with most packets: the last value and the largest.
    var jitterMilliseconds: Double
    var largestJitterMilliseconds: Double
  }

  struct Payload: Encodable {
    var payloadType: Int
    /// By number, by SDP or by the shape of its packets; `nil` where none tells.
    var codec: String?
    var packets: Int
    var bytes: Int
    /// Whether this program decodes it.
    var isDecodable: Bool
    /// Telephone events and comfort noise are no sound of their own.
    var isAudio: Bool
  }

  var file: String
  var kind = "capture"
  var format: String
  var packets: Int
  var datagrams: Int
  var controlPackets: Int
  var otherDatagrams: Int
  var streams: [Stream]
  var warnings: [String]

  var fault: String?

  private enum CodingKeys: String, CodingKey {
    case file, kind, format, packets, datagrams, controlPackets, otherDatagrams, streams, warnings
  }

  init(path: String, name: String) throws {
    let survey = try CaptureSurvey(path: path)
    file = name
    format = survey.format.rawValue
    packets = survey.packetCount
    datagrams = survey.datagramCount
    controlPackets = survey.control.datagramCount
    otherDatagrams = survey.otherCount
    streams = survey.streams.map(Stream.init)
    warnings = survey.warnings.map(\.description) + survey.streams.flatMap(\.warnings)
    fault = survey.fault
    if fault == nil, !survey.streams.contains(where: { $0.payloads.contains(where: \.use.isSound) }) {
      fault = "there is no audio stream in it, only telephone events or comfort noise"
    }
  }

  var text: String {
    var lines = [
      "\(file)",
      "  format      \(format), \(counted(packets, "packet")): \(counted(datagrams, "datagram")), \(controlPackets) RTCP",
    ]
    for stream in streams {
      lines.append("  stream      SSRC \(stream.ssrc), \(stream.source) to \(stream.destination)")
      for payload in stream.payloads {
        let note = payload.isAudio && !payload.isDecodable ? ", not decodable here" : ""
        lines.append(
          "    payload   \(payload.payloadType) \(payload.codec ?? "unknown"), \(counted(payload.packets, "packet"))\(note)"
        )
      }
      lines.append(
        "    packets   \(stream.packets), lost \(stream.lost), duplicates \(stream.duplicates), reordered \(stream.reordered)"
      )
      let seconds = stream.seconds.map { String(format: "%.3f s", $0) } ?? "unknown"
      lines.append(String(format: "    duration  %@ (arrivals over %.3f s)", seconds, stream.arrivalSeconds))
      lines.append(
        String(
          format: "    jitter    %.3f ms, largest %.3f ms", stream.jitterMilliseconds, stream.largestJitterMilliseconds)
      )
    }
    return lines.joined(separator: "\n")
  }
}

extension CaptureDescription.Stream {
  fileprivate init(_ captured: CapturedStream) {
    let stream = captured.stream
    ssrc = hexadecimal(stream.identity.ssrc)
    source = stream.identity.source.description
    destination = stream.identity.destination.description
    payloads = captured.payloads.map(CaptureDescription.Payload.init)
    packets = stream.distinctCount
    lost = stream.lostCount
    duplicates = stream.duplicateCount
    reordered = stream.reorderedCount
    seconds = stream.mediaSeconds
    arrivalSeconds = stream.arrivals.upperBound.milliseconds(since: stream.arrivals.lowerBound) / 1_000
    jitterMilliseconds = stream.mainPayload.jitter.milliseconds
    largestJitterMilliseconds = stream.mainPayload.jitter.largestMilliseconds
  }
}

extension CaptureDescription.Payload {
  fileprivate init(_ payload: CapturedStream.Payload) {
    payloadType = Int(payload.use.payloadType)
    packets = payload.use.packetCount
    bytes = payload.use.payloadByteCount
    codec = payload.name.map { "\($0)\(payload.nameSource == .shape ? " (by its shape)" : "")" }
    isDecodable = payload.format != nil
    // Unnamed payload types may be audio: better told as such than hidden.
    isAudio = payload.use.isSound
  }
}
