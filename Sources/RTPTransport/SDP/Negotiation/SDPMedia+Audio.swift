extension SDPMedia {
  /// The section of a WebRTC endpoint's audio (RFC 9429 §5.2.1, §5.3.1).
  static func audio(
    _ local: LocalAudio, mid: String?, direction: MediaDirection, codecs: [SDPCodec], extensions: [HeaderExtension],
    setup: DTLSSetup, reducedSize: Bool, transport: String
  ) -> SDPMedia {
    var lines: [SDPAttribute] = []
    if let mid { lines.append(.mid(mid)) }
    lines += [
      .iceUsernameFragment(local.ice.usernameFragment), .icePassword(local.ice.password), .iceOptions(["trickle"]),
      .fingerprint(local.fingerprint), .setup(setup),
    ]
    lines += extensions.map { .headerExtension($0) }
    lines += [.direction(direction), .rtcpMux]
    if reducedSize { lines.append(.rtcpReducedSize) }
    lines += codecs.flatMap(\.attributes)
    if let time = local.packetTime { lines.append(.packetTime(time)) }
    if let time = local.maximumPacketTime { lines.append(.maximumPacketTime(time)) }
    if direction.sends {
      lines.append(.mediaStream(local.mediaStream))
      lines.append(.source(ssrc: local.ssrc, attribute: "cname", value: local.canonicalName))
    }
    lines += local.candidates.map { .candidate($0) }
    if local.isEndOfCandidates { lines.append(.endOfCandidates) }

    var connection = SDPConnection.unspecified
    if let candidate = local.defaultCandidate {
      connection = SDPConnection(
        addressType: candidate.address.contains(":") ? "IP6" : "IP4", address: candidate.address)
    }
    return SDPMedia(
      kind: "audio", port: local.defaultCandidate?.port ?? 9, transport: transport,
      formats: codecs.map { "\($0.map.payloadType)" }, connection: connection, attributes: lines)
  }

  /// The section as it is answered when it is not wanted: port 0, its name kept (RFC 3264 §6, RFC 9429 §5.3.1).
  var refused: SDPMedia {
    var lines: [SDPAttribute] = [.direction(.inactive)]
    if let mid { lines.insert(.mid(mid), at: 0) }
    return SDPMedia(
      kind: kind, port: 0, transport: transport, formats: formats.isEmpty ? ["0"] : formats, connection: .unspecified,
      attributes: lines)
  }
}
