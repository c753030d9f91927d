internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore

/// What became of a datagram that was given to `MediaEngine.receive`.
public enum ReceiveOutcome: Sendable, BitwiseCopyable {
  /// It waits in the jitter buffer.
  case accepted
  /// Its sound has been played or concealed already.
  case tooLate
  /// It came before.
  case duplicate
  /// It is no RTP packet, or its payload none of the codec's.
  case malformed
  /// It failed authentication: tampered with, or under another key.
  case unauthentic
  /// It carries a payload type that was not negotiated.
  case unknownPayloadType
  /// It belongs to another stream than the announced or present one.
  case unexpectedStream
  /// It is RTCP, STUN or DTLS: not the engine's.
  case notMedia
}

/// Lets a datagram in: authenticates it, reads its header, tells whose it is, hands its payload to the jitter buffer.
/// Whatever is on the wire, the worst that happens is that it is counted and dropped.
struct PacketReceiver: ~Copyable {
  private var packet: ByteBuffer
  private var protection: SRTPReceiver?
  private let payloadTypes: PayloadTypes
  /// Noise parameters count as sound of a codec that has no noise of its own.
  private let playsComfortNoise: Bool
  /// Payload types stamped by the clock that jitter is measured with.
  private let measuredTypes: InlineArray<2, UInt64>
  private var stream: StreamChoice
  private var reception: ReceptionStatistics
  private let freshReception: ReceptionStatistics

  private(set) var statistics = MediaStatistics.InboundRTP()
  private(set) var faults = MediaStatistics.Faults()
  private var lostBefore = 0

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let protection = try settings.makeSRTPReceiver()
    self.protection = protection
    // Headers, extension and trailer beside the longest payload that the jitter buffer takes.
    // RED adds up to 8 earlier ones of 1,023 bytes.
    let copies = settings.redundancy == nil ? 0 : 8 * 1_027
    packet = ByteBuffer(repeating: 0, count: settings.jitterBuffer.maximumPayloadSize + 1_200 + copies)
    payloadTypes = PayloadTypes(
      audio: settings.receiveFormat.payloadType, telephoneEvent: settings.telephoneEventType,
      redundantAudio: settings.redundancy?.payloadType)
    let formats = [settings.receiveFormat] + settings.otherReceiveFormats
    playsComfortNoise = formats.contains { $0.codec != .opus }
    var measured = InlineArray<2, UInt64>(repeating: 0)
    for format in formats where format.clockRate == settings.receiveFormat.clockRate {
      measured[Int(format.payloadType & 0x7F) / 64] |= 1 << UInt64(format.payloadType & 63)
    }
    measuredTypes = measured
    stream = StreamChoice(announced: settings.remoteSSRC)
    // The stream itself is chosen below, so a packet that gets here counts.
    freshReception = ReceptionStatistics(clockRate: settings.receiveFormat.clockRate, probation: 0)
    reception = freshReception
  }

  @_noLocks
  mutating func receive(
    _ datagram: borrowing ByteView, at now: MediaInstant, into jitterBuffer: inout JitterBuffer,
    _ events: inout EventQueue
  ) -> ReceiveOutcome {
    switch DatagramKind(datagram) {
    case .rtp: break
    case .rtcp:
      faults.ignoredControlPackets &+= 1
      return .notMedia
    case .stun, .dtls, .turnChannel: return .notMedia
    case .unknown:
      faults.malformedPackets &+= 1
      return .malformed
    }
    guard datagram.count <= packet.count else {
      faults.malformedPackets &+= 1
      return .malformed
    }
    packet.copy(datagram, to: 0)
    let byteCount: Int
    switch Self.unprotect(&packet, byteCount: datagram.count, by: &protection) {
    case .plain(let count): byteCount = count
    case .replayed:
      faults.replayedPackets &+= 1
      return .duplicate
    case .unauthentic:
      faults.unauthenticPackets &+= 1
      return .unauthentic
    case .unexpectedStream:
      faults.unexpectedStreams &+= 1
      return .unexpectedStream
    case .malformed:
      faults.malformedPackets &+= 1
      return .malformed
    }

    let rtp: RTPPacket
    do throws(RTPError) {
      rtp = try RTPPacket(packet.view(0..<byteCount))
    } catch {
      faults.malformedPackets &+= 1
      return .malformed
    }
    return accept(rtp, byteCount: datagram.count, at: now, into: &jitterBuffer, &events)
  }

  @_noLocks
  private mutating func accept(
    _ rtp: RTPPacket, byteCount: Int, at now: MediaInstant, into jitterBuffer: inout JitterBuffer,
    _ events: inout EventQueue
  ) -> ReceiveOutcome {
    var content = payloadTypes.content(of: rtp.header.payloadType)
    if jitterBuffer.accepts(payloadType: rtp.header.payloadType) { content = .audio }
    if case .unknown = content {
      faults.unknownPayloadTypes &+= 1
      return .unknownPayloadType
    }
    switch stream.choose(rtp.header, at: now) {
    case .same: break
    case .other:
      faults.unexpectedStreams &+= 1
      return .unexpectedStream
    case .first: events.append(.remoteStreamChanged(ssrc: rtp.header.ssrc))
    case .changed:
      events.append(.remoteStreamChanged(ssrc: rtp.header.ssrc))
      lostBefore &+= reception.packetsLost
      reception = freshReception
      jitterBuffer.reset()
    }

    let payload = rtp.payloadRange
    statistics.packetsReceived &+= 1
    statistics.bytesReceived &+= payload.count
    statistics.headerBytesReceived &+= byteCount &- payload.count
    guard takesPart(content) else {
      // Keys take numbers of the stream, which must not look like losses.
      jitterBuffer.noteForeignPacket(sequenceNumber: rtp.header.sequenceNumber)
      _ = reception.registerUntimed(rtp.header, payloadByteCount: payload.count)
      statistics.packetsLost = lostBefore &+ reception.packetsLost
      return .accepted
    }
    if case .audio = content, !isMeasured(rtp.header.payloadType) {
      _ = reception.registerUntimed(rtp.header, payloadByteCount: payload.count)
    } else {
      _ = reception.register(rtp.header, payloadByteCount: payload.count, at: now)
    }
    statistics.packetsLost = lostBefore &+ reception.packetsLost
    statistics.jitter = reception.jitter
    guard !payload.isEmpty else { return .accepted }  // keeps a path open (RFC 6263 §4.1)

    switch insert(payload, content, rtp.header, at: now, into: &jitterBuffer) {
    case .inserted, .insertedInPlaceOfOldest, .restarted: return .accepted
    case .duplicate: return .duplicate
    case .tooLate: return .tooLate
    case .malformed, .implausible: return .malformed
    }
  }

  @_noLocks
  private func isMeasured(_ payloadType: UInt8) -> Bool {
    measuredTypes[Int(payloadType & 0x7F) / 64] & (1 << UInt64(payloadType & 63)) != 0
  }

  /// Whether a packet's place in time is the sound's.
  @_noLocks
  private func takesPart(_ content: PayloadTypes.Content) -> Bool {
    switch content {
    case .audio, .redundantAudio: true
    case .comfortNoise: playsComfortNoise
    case .telephoneEvent, .unknown: false
    }
  }

  @_noLocks
  private func insert(
    _ payload: Range<Int>, _ content: PayloadTypes.Content, _ header: RTPHeader, at now: MediaInstant,
    into jitterBuffer: inout JitterBuffer
  ) -> InsertOutcome {
    let number = header.sequenceNumber
    let timestamp = header.timestamp
    switch content {
    case .redundantAudio: break
    case .comfortNoise:
      return jitterBuffer.insertComfortNoise(
        packet.view(payload), sequenceNumber: number, timestamp: timestamp, at: now)
    default:
      return jitterBuffer.insert(
        packet.view(payload), payloadType: header.payloadType, sequenceNumber: number, timestamp: timestamp, at: now)
    }
    return jitterBuffer.insertRedundant(
      packet.view(payload), noiseType: payloadTypes.comfortNoise ?? 255, sequenceNumber: number, timestamp: timestamp,
      at: now)
  }

  private enum Opened: BitwiseCopyable { case plain(Int), replayed, unauthentic, unexpectedStream, malformed }

  @_noLocks
  private static func unprotect(
    _ packet: inout ByteBuffer, byteCount: Int, by protection: inout SRTPReceiver?
  ) -> Opened {
    guard protection != nil else { return .plain(byteCount) }
    var bytes = packet.mutableSpan
    do throws(SRTPError) {
      return .plain(try protection!.unprotect(&bytes, byteCount: byteCount))
    } catch {
      switch error {
      case .replayed, .tooOld: return .replayed
      case .unknownSource, .tooManySources: return .unexpectedStream
      case .malformed: return .malformed
      default: return .unauthentic
      }
    }
  }
}
