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
  /// What timestamps are multiplied with for the jitter buffer: see `CodecFormat.onSampleClock`.
  private let samplesPerTick: UInt32
  private var newestTimestamp = RTPTimestamp(0)
  private let playsComfortNoise: Bool
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
    samplesPerTick = UInt32(settings.receiveFormat.samplesPerTick)
    // Opus has noise of its own.
    playsComfortNoise = settings.receiveFormat.codec != .opus
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
    let content = payloadTypes.content(of: rtp.header.payloadType)
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
    _ = reception.register(rtp.header, payloadByteCount: payload.count, at: now)
    statistics.packetsLost = lostBefore &+ reception.packetsLost
    statistics.jitter = reception.jitter
    newestTimestamp = rtp.header.timestamp
    guard !payload.isEmpty else { return .accepted }  // keeps a path open (RFC 6263 §4.1)

    switch insert(payload, content, rtp.header, at: now, into: &jitterBuffer) {
    case .inserted, .insertedInPlaceOfOldest, .restarted: return .accepted
    case .duplicate: return .duplicate
    case .tooLate: return .tooLate
    case .malformed, .implausible: return .malformed
    }
  }

  /// The sender's timestamp for one of the jitter buffer's. Doubling has lost the highest bit: of the two that fit, the
  /// one near the newest packet is meant.
  @_noLocks
  func senderTimestamp(of timestamp: RTPTimestamp) -> RTPTimestamp {
    guard samplesPerTick == 2 else { return timestamp }
    let half = RTPTimestamp(timestamp.rawValue / 2)
    let distance = newestTimestamp.distance(to: half)
    return distance >= -0x4000_0000 && distance < 0x4000_0000 ? half : half.advanced(by: 0x8000_0000)
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
    let timestamp = RTPTimestamp(header.timestamp.rawValue &* samplesPerTick)
    switch content {
    case .redundantAudio: break
    case .comfortNoise:
      return jitterBuffer.insertComfortNoise(
        packet.view(payload), sequenceNumber: number, timestamp: timestamp, at: now)
    default:
      return jitterBuffer.insert(packet.view(payload), sequenceNumber: number, timestamp: timestamp, at: now)
    }
    guard let blocks = RedundantPayload(packet.view(payload)), blocks.primary.payloadType == payloadTypes.audio else {
      return .malformed
    }
    for index in 0..<blocks.redundantCount {
      guard let block = blocks.block(index, in: packet.view(payload)), block.payloadType == payloadTypes.audio,
        block.start < block.end
      else { continue }
      _ = jitterBuffer.insertCopy(
        packet.view(payload.lowerBound &+ block.start..<payload.lowerBound &+ block.end),
        sequenceNumber: number.advanced(by: index &- blocks.redundantCount),
        timestamp: timestamp.advanced(by: 0 &- block.timestampOffset &* Int(samplesPerTick)), at: now)
    }
    return jitterBuffer.insert(
      packet.view(payload.lowerBound &+ blocks.primary.start..<payload.lowerBound &+ blocks.primary.end),
      sequenceNumber: number, timestamp: timestamp, at: now)
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
