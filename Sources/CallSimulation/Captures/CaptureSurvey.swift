public import AudioFiles
public import RTPTransport
internal import RealtimeCore

/// A capture, read once to its end: its streams, and what is needed to play each of them.
public struct CaptureSurvey: Sendable {
  /// How the file is laid out.
  public let format: CaptureFile.Format
  /// Records, whatever they carry.
  public let packetCount: Int
  /// UDP datagrams.
  public let datagramCount: Int
  /// Datagrams that are neither RTP nor RTCP.
  public let otherCount: Int
  /// Session descriptions (SDP) among them.
  public let descriptionCount: Int
  /// Who sends RTCP.
  public let control: ControlSurvey
  /// RTP streams, in the order of their first packets.
  public let streams: [CapturedStream]
  /// One sender's packets over several paths, seen as one stream.
  public let joinedPaths: [JoinedPaths]
  /// The caller's SRTP keys, or those that SDP in the capture tells: secrets.
  public let keys: [SRTPKey]
  /// What was odd about the file.
  public let warnings: [CaptureWarning]

  private struct Key: Hashable {
    let stream: RTPStream.Identity
    let payloadType: UInt8
  }

  /// Reads `path` ("-" is standard input).
  /// - Parameters:
  ///   - keys: of SRTP streams; where there are none, those in the capture's SDP serve.
  ///   - names: of payload types, above anything that the capture says.
  public init(
    path: String, keys: [SRTPKey] = [], names: [UInt8: PayloadName] = [:]
  ) throws(AudioFileError) {
    var capture = try OpenedCapture(path: path, keys: keys)
    var survey = RTPStreamSurvey(names: names)
    var evidence: [Key: PayloadEvidence] = [:]
    var paths = JoinedPathsTracker()
    var carried: [RTPStream.Identity: Set<UInt8>] = [:]
    while let datagram = try capture.next() {
      guard let place = survey.add(datagram), place.isNew else { continue }
      paths.add(place, datagram)
      guard capture.isOpen(place.stream), evidence.count < Self.evidenceLimit else { continue }
      evidence[Key(stream: place.stream, payloadType: place.payloadType), default: PayloadEvidence()]
        .add(datagram.payload.span.extracting(place.payload), name: place.name)
      if place.name?.isRedundant == true {
        carried[place.stream, default: []].formUnion(Self.blockTypes(datagram.payload.span.extracting(place.payload)))
      }
    }
    format = capture.file.format
    packetCount = capture.file.packetCount
    datagramCount = capture.file.datagramCount
    otherCount = survey.otherCount
    descriptionCount = survey.descriptionCount
    control = survey.control
    warnings = capture.file.warnings
    self.keys = capture.keys
    var streams: [CapturedStream] = []
    for stream in survey.streams {
      let isOpen = capture.isOpened(stream.identity) || (keys.isEmpty && !stream.isProtected)
      let payloads = stream.payloads.map { use in
        CapturedStream.Payload(
          use, in: stream, evidence: evidence[Key(stream: stream.identity, payloadType: use.payloadType)],
          isChosen: names[use.payloadType] != nil)
      }
      let inside = (carried[stream.identity] ?? []).sorted().compactMap { type in
        survey.name(of: type, in: stream.identity).flatMap { CapturedStream.Carried($0, payloadType: type) }
      }
      streams.append(
        CapturedStream(
          stream: stream, payloads: payloads, carried: inside,
          closedCount: capture.closedCounts[stream.identity] ?? 0, isClosed: !isOpen))
    }
    self.streams = streams
    joinedPaths = paths.paths(of: streams.map(\.stream))
  }

  /// The payload types of the blocks in a payload of RED.
  private static func blockTypes(_ payload: Span<UInt8>) -> [UInt8] {
    guard let blocks = RedundantPayload(payload) else { return [] }
    return (0..<blocks.redundantCount).compactMap { blocks.block($0, in: payload)?.payloadType }
      + [blocks.primary.payloadType]
  }

  /// Noise that looks like RTP makes a stream of each packet.
  private static let evidenceLimit = 4_096
}
