import Antiphon
import Foundation

/// A packet capture and its RTP streams.
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
    /// By number, by SDP or by shape; `nil` where none tells.
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

  init(path: String, name: String) throws {
    var capture = try CaptureFile(path: path)
    var survey = RTPStreamSurvey()
    while let datagram = try capture.next() { survey.add(datagram) }
    file = name
    format = capture.format.rawValue
    packets = capture.packetCount
    datagrams = capture.datagramCount
    controlPackets = survey.controlCount
    otherDatagrams = survey.otherCount
    streams = survey.streams.map(Stream.init)
    warnings = capture.warnings.map(\.description)
    for stream in streams {
      for payload in stream.payloads where payload.isAudio && !payload.isDecodable {
        let codec = payload.codec.map { "is \($0); it" } ?? "is not named (no SDP in the capture); it"
        warnings.append("SSRC \(stream.ssrc): payload type \(payload.payloadType) \(codec) cannot be decoded here")
      }
    }
  }

  var fault: String? {
    if streams.isEmpty {
      return
        "there is no audio stream in it: \(counted(datagrams, "datagram")), \(controlPackets) of them RTCP, no RTP stream"
    }
    let hasAudio = streams.contains { $0.payloads.contains(where: \.isAudio) }
    return hasAudio ? nil : "there is no audio stream in it, only telephone events or comfort noise"
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
  fileprivate init(_ stream: RTPStream) {
    let identity = stream.identity
    ssrc = String(format: "0x%08X", identity.ssrc)
    source = identity.source.description
    destination = identity.destination.description
    payloads = stream.payloads.map(CaptureDescription.Payload.init)
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
  fileprivate init(_ use: RTPStream.PayloadUse) {
    payloadType = Int(use.payloadType)
    packets = use.packetCount
    bytes = use.payloadByteCount
    // RFC 4733 §2.3: an event has 4 bytes; no codec in use makes packets so small, one like the other.
    let looksLikeEvents = use.name == nil && use.payloadByteCount == 4 * use.packetCount
    codec = looksLikeEvents ? "telephone-event (by its size)" : use.name?.description
    let encoding = looksLikeEvents ? "telephone-event" : use.name?.encoding.lowercased()
    isDecodable = ["opus", "pcmu", "pcma", "l16"].contains(encoding ?? "")
    // Unnamed payload types may be audio: better told as such than hidden.
    isAudio = !["telephone-event", "cn"].contains(encoding ?? "")
  }
}
