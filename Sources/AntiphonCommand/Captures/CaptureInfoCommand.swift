import Antiphon
import Foundation

/// Everything about the RTP streams of a capture.
struct CaptureInfoCommand: Command {
  static let name = "capture-info"
  static let summary = "tell all about the RTP streams of a packet capture: loss, jitter, codecs, keys"
  static let syntax = ArgumentSyntax(
    options: CaptureOptions.syntax + [ArgumentSyntax.flag("--json", "one JSON object")], operands: ["FILE"])
  static let example = "antiphon capture-info testdata/captures/gpl-2.0/asterisk-CARRIER_G711U.pcap"
  static let notes = """
    pcap, pcapng and rtpdump; Ethernet (VLAN, PPPoE, MPLS), Linux cooked, loopback, raw IP; IPv4 and IPv6, fragments put
    together. Codecs are named by --payload-type, by RFC 3551's fixed numbers, by SDP in SIP messages over UDP, or by the
    shape of the packets. Jitter is RFC 3550's, of the sound alone. Copies of a packet are duplicates, not negative loss.
    Names in the JSON are those of webrtc-stats where it has one; its times are seconds. A capture without RTP is an error.
    """

  struct Paths: Encodable {
    var ssrc: String
    var paths: Int
    var packetsDistinct: Int
    var packetsExpected: Int
    var packetsLost: Int
  }

  struct Control: Encodable {
    var ssrc: String
    var datagrams: Int
    var senderReports: Int
    var receiverReports: Int
  }

  struct Result: FileDescription {
    var file: String
    var format: String
    var packets: Int
    var datagrams: Int
    var otherDatagrams: Int
    var sessionDescriptions: Int
    var control: [Control]
    var streams: [StreamDescription]
    /// Senders whose packets came over several paths, seen as one.
    var joinedPaths: [Paths]
    var warnings: [String]
    var fault: String?
    private var pathLines: [String]

    private enum CodingKeys: String, CodingKey {
      case file, format, packets, datagrams, otherDatagrams, sessionDescriptions, control, streams, joinedPaths,
        warnings
    }

    init(_ survey: CaptureSurvey, name: String) {
      file = name
      format = survey.format.rawValue
      packets = survey.packetCount
      datagrams = survey.datagramCount
      otherDatagrams = survey.otherCount
      sessionDescriptions = survey.descriptionCount
      control = survey.control.sources.map {
        Control(
          ssrc: hexadecimal($0.ssrc), datagrams: $0.datagramCount, senderReports: $0.senderReportCount,
          receiverReports: $0.receiverReportCount)
      }
      streams = survey.streams.enumerated().map { StreamDescription($1, number: $0 + 1) }
      joinedPaths = survey.joinedPaths.map {
        Paths(
          ssrc: hexadecimal($0.ssrc), paths: $0.paths.count, packetsDistinct: $0.distinctCount,
          packetsExpected: $0.expectedCount, packetsLost: $0.lostCount)
      }
      warnings = survey.warnings.map(\.description) + streams.flatMap(\.warnings)
      fault = survey.fault
      pathLines = survey.pathLines
    }

    var text: String {
      let controlled = control.map(\.datagrams).reduce(0, +)
      var lines = [
        "\(file)",
        "  format      \(format), \(counted(packets, "packet")): \(counted(datagrams, "datagram")), \(controlled) RTCP, \(counted(sessionDescriptions, "session description"))",
      ]
      for source in control {
        lines.append(
          "  RTCP        SSRC \(source.ssrc): \(counted(source.datagrams, "datagram")), \(counted(source.senderReports, "sender report")), \(counted(source.receiverReports, "receiver report"))"
        )
      }
      for stream in streams { lines += stream.text }
      for line in pathLines { lines.append("  paths       \(line)") }
      return lines.joined(separator: "\n")
    }
  }

  private let path: String
  private let options: CaptureOptions
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.operand(0, "FILE")
    options = try CaptureOptions(arguments)
    printsJSON = arguments.has("--json")
  }

  func run() throws {
    let survey = try CaptureSurvey(path: path, keys: options.keys, names: options.names)
    try Result(survey, name: path).tell(as: Self.self, json: printsJSON)
  }
}
