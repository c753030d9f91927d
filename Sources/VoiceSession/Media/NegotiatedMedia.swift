internal import AudioCodecs
internal import Foundation
internal import MediaEngine
internal import Networking
internal import RTPTransport
internal import RealtimeCore

// From what signalling agreed on to what an engine is made of.
extension MediaEngineSettings {
  /// Takes over what was negotiated; processing, rates and the rest stay as they are.
  mutating func take(
    _ negotiated: NegotiatedAudio, local: LocalAudio, keys: DTLSTransport.Keys, redundancyLevels: Int,
    bitrateRange: ClosedRange<Int>?, packetDuration: Int
  ) throws(PeerConnectionError) {
    let duration = negotiated.packetDuration(wished: packetDuration)
    sendFormat = try CodecFormat.negotiated(negotiated.codec, payloadType: negotiated.sending.audio, duration)
    receiveFormat = try CodecFormat.negotiated(negotiated.codec, payloadType: negotiated.receiving.audio, duration)
    telephoneEventType = negotiated.sending.telephoneEvent
    if let red = negotiated.sending.redundantAudio, red == negotiated.receiving.redundantAudio {
      redundancy = Redundancy(payloadType: red, sendLevels: redundancyLevels)
    }
    takeOpusParameters(negotiated, bitrateRange: bitrateRange)

    func id(_ uri: String) -> UInt8? { negotiated.headerExtensionID(uri).flatMap { UInt8(exactly: $0) } }
    headerExtension.audioLevel = id(HeaderExtension.audioLevel)
    headerExtension.transportSequence = id(HeaderExtension.transportSequence)
    headerExtension.mid = id(HeaderExtension.mid)
    headerExtension.midValue = negotiated.mid

    var control = ControlSettings(
      canonicalName: local.canonicalName, ntpAtZero: .atMonotonicZero, seed: .random(in: 0 ... .max))
    control.allowsReducedSize = negotiated.hasReducedSizeRTCP
    control.retransmits = negotiated.feedback.contains("nack")
    control.sendsTransportFeedback = negotiated.feedback.contains("transport-cc")
    control.bitrateRange = negotiated.codec.encoding.lowercased() == "opus" ? bitrateRange : nil
    self.control = control

    security = Security(send: keys.sending, receive: keys.receiving)
    // Below 32,768: a receiver that misses the first packets must not misjudge the rollover counter (RFC 3711 §3.3.1).
    stream = StreamIdentity(
      ssrc: local.ssrc, firstSequenceNumber: .random(in: 0..<32_768), firstTimestamp: .random(in: 0 ... .max))
    // Whoever has the keys may begin a new stream: gateways do so when they change the talker.
    remoteSSRC = nil
  }

  private mutating func takeOpusParameters(_ negotiated: NegotiatedAudio, bitrateRange: ClosedRange<Int>?) {
    guard negotiated.codec.encoding.lowercased() == "opus" else { return }
    let parameters = OpusParameters(negotiated.codecParameters)
    opus.forwardErrorCorrection = opus.forwardErrorCorrection || parameters.usesInbandFEC
    if parameters.isConstantBitrate { opus.rateControl = .constant }
    if let highest = parameters.maximumAverageBitrate, case .bitsPerSecond(let wished) = opus.bitrate {
      opus.bitrate = .bitsPerSecond(min(wished, highest))
    }
    switch parameters.maximumPlaybackRate {
    case .some(..<12_000): opus.maximumBandwidth = .narrowband
    case .some(12_000..<16_000): opus.maximumBandwidth = .mediumband
    case .some(16_000..<24_000): opus.maximumBandwidth = .wideband
    case .some(24_000..<48_000): opus.maximumBandwidth = .superwideband
    default: break
    }
  }
}

extension NegotiatedAudio {
  /// Microseconds of sound in a packet: what the peer wants, else what this end does, within what the peer can take.
  fileprivate func packetDuration(wished: Int) -> Int {
    var milliseconds = packetTime ?? Double(wished) / 1_000
    if let maximumPacketTime { milliseconds = min(milliseconds, maximumPacketTime) }
    // What all codecs can have.
    let possible = [10_000, 20_000, 40_000, 60_000]
    return possible.last { Double($0) <= milliseconds * 1_000 } ?? 10_000
  }
}

extension CodecFormat {
  fileprivate static func negotiated(
    _ map: RTPMap, payloadType: UInt8, _ duration: Int
  ) throws(PeerConnectionError) -> CodecFormat {
    switch Codec(sdpName: map.encoding) {
    case .opus: return .opus(payloadType: payloadType, packetDuration: duration)
    case .pcmu where map.clockRate == 8_000: return .pcmu(payloadType: payloadType, packetDuration: duration)
    case .pcma where map.clockRate == 8_000: return .pcma(payloadType: payloadType, packetDuration: duration)
    case .g722: return .g722(payloadType: payloadType, packetDuration: duration)
    case .l16:
      if let rate = try? SampleRate(hertz: map.clockRate) {
        return .l16(rate, payloadType: payloadType, packetDuration: duration)
      }
    default: break
    }
    throw .unsupportedCodec("\(map.encoding)/\(map.clockRate)")
  }
}

extension NTPTimestamp {
  /// The wall clock when the monotonic clock stood at zero.
  fileprivate static var atMonotonicZero: NTPTimestamp {
    NTPTimestamp(secondsSince1970: Date().timeIntervalSince1970 - Double(EventLoop.now.nanoseconds) * 1e-9)
  }
}
