/// A payload format as one end describes it: its number and encoding, its parameters, the RTCP feedback it takes.
public struct SDPCodec: Hashable, Sendable {
  /// Number and encoding.
  public var map: RTPMap
  /// The `a=fmtp` line; no line when empty.
  public var parameters: FormatParameters
  /// The `a=rtcp-fb` lines, such as "transport-cc" and "nack".
  public var feedback: [String]

  /// A format with its parameters.
  public init(_ map: RTPMap, parameters: FormatParameters = FormatParameters(""), feedback: [String] = []) {
    self.map = map
    self.parameters = parameters
    self.feedback = feedback
  }

  /// Opus (RFC 7587).
  public static func opus(
    payloadType: UInt8 = 111, _ parameters: OpusParameters = .voice, feedback: [String] = ["transport-cc", "nack"]
  ) -> SDPCodec {
    SDPCodec(
      RTPMap(payloadType: payloadType, encoding: "opus", clockRate: 48_000, channelCount: 2),
      parameters: parameters.formatParameters, feedback: feedback)
  }

  /// Redundant audio around the codec of another payload type (RFC 2198).
  public static func redundant(payloadType: UInt8 = 63, around primary: SDPCodec) -> SDPCodec {
    SDPCodec(
      RTPMap(
        payloadType: payloadType, encoding: "red", clockRate: primary.map.clockRate,
        channelCount: primary.map.channelCount),
      parameters: FormatParameters("\(primary.map.payloadType)/\(primary.map.payloadType)"))
  }

  /// Pressed keys 0 to 9, star, pound, A to D on the clock of the codec they go beside (RFC 4733).
  public static func telephoneEvent(payloadType: UInt8, clockRate: Int) -> SDPCodec {
    SDPCodec(
      RTPMap(payloadType: payloadType, encoding: "telephone-event", clockRate: clockRate),
      parameters: FormatParameters("0-15"))
  }

  /// G.711 µ-law.
  public static var pcmu: SDPCodec { SDPCodec(RTPMap(payloadType: 0, encoding: "PCMU", clockRate: 8_000)) }
  /// G.711 A-law.
  public static var pcma: SDPCodec { SDPCodec(RTPMap(payloadType: 8, encoding: "PCMA", clockRate: 8_000)) }
  /// G.722, whose clock is 8 kHz (RFC 3551 §4.5.2).
  public static var g722: SDPCodec { SDPCodec(RTPMap(payloadType: 9, encoding: "G722", clockRate: 8_000)) }
  /// Comfort noise beside codecs of 8 kHz (RFC 3389).
  public static var comfortNoise: SDPCodec { SDPCodec(RTPMap(payloadType: 13, encoding: "CN", clockRate: 8_000)) }

  /// What a voice call offers: Opus with redundancy, the codecs of telephones, keys on both clocks.
  public static var voice: [SDPCodec] {
    let opus = SDPCodec.opus()
    return [
      opus, .redundant(around: opus), .g722, .pcmu, .pcma, .comfortNoise,
      .telephoneEvent(payloadType: 110, clockRate: 48_000), .telephoneEvent(payloadType: 126, clockRate: 8_000),
    ]
  }

  enum Role { case audio, redundantAudio, telephoneEvent, comfortNoise }

  var role: Role {
    switch map.encoding.lowercased() {
    case "red": .redundantAudio
    case "telephone-event": .telephoneEvent
    case "cn": .comfortNoise
    default: .audio
    }
  }

  var attributes: [SDPAttribute] {
    var lines: [SDPAttribute] = [.rtpMap(map)]
    lines += feedback.map { .rtcpFeedback(payloadType: map.payloadType, $0) }
    if !parameters.text.isEmpty { lines.append(.formatParameters(payloadType: map.payloadType, parameters)) }
    return lines
  }
}

extension SDPMedia {
  /// The payload formats of the section, in its order of preference; numbers without an encoding are left out.
  public var codecs: [SDPCodec] {
    payloadTypes.compactMap { payloadType in
      guard let map = rtpMap(payloadType) else { return nil }
      let feedback = attributes.compactMap { attribute -> String? in
        guard case .rtcpFeedback(let of, let text) = attribute, of == nil || of == payloadType else { return nil }
        return text
      }
      return SDPCodec(map, parameters: formatParameters(payloadType), feedback: feedback)
    }
  }
}
