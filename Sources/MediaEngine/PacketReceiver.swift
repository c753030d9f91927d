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
  /// It is no RTP packet, its payload is none of the codec's, or its number and time do not belong to the stream.
  case malformed
  /// It failed authentication: tampered with, or under another key.
  case unauthentic
  /// It carries a payload type that was not negotiated.
  case unknownPayloadType
  /// It belongs to another stream than the announced or present one.
  case unexpectedStream
  /// It is a control packet and was read.
  case control
  /// It is STUN or DTLS, or RTCP of a call without control: not the engine's.
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
  var reception: ReceptionStatistics
  private let freshReception: ReceptionStatistics

  private(set) var statistics = MediaStatistics.InboundRTP()
  private(set) var faults = MediaStatistics.Faults()
  private var lostBefore = 0
  private var keys = TelephoneEventReceiver()
  private let keyTicksPerMillisecond: Int
  /// Arrivals by transport-wide number, where they are to be reported.
  private var transportFeedback: TransportFeedback?
  private let transportSequence: UInt8

  init(_ settings: MediaEngineSettings) throws(MediaEngineError) {
    let protection = try settings.makeSRTPReceiver()
    self.protection = protection
    // Headers, extension and trailer beside the longest payload that the jitter buffer takes.
    // RED adds up to 8 earlier ones of 1,023 bytes.
    let copies = settings.redundancy == nil ? 0 : 8 * 1_027
    let formats = [settings.receiveFormat] + settings.otherReceiveFormats
    let payload = settings.jitterBuffer.payloadByteCount(for: formats)
    packet = ByteBuffer(repeating: 0, count: payload + 1_200 + copies)
    payloadTypes = PayloadTypes(
      audio: settings.receiveFormat.payloadType, telephoneEvent: settings.telephoneEventType,
      redundantAudio: settings.redundancy?.payloadType)
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
    keyTicksPerMillisecond = max(1, settings.receiveFormat.clockRate / 1_000)
    transportSequence = settings.headerExtension.transportSequence ?? 0
    let isReported = settings.control?.sendsTransportFeedback == true && transportSequence != 0
    transportFeedback = isReported ? TransportFeedback() : nil
  }

  /// The stream that is heard.
  var source: UInt32? { @_noLocks get { stream.current } }

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
    switch Self.unprotect(&packet, byteCount: datagram.count, isControl: false, by: &protection) {
    case .plain(let count): byteCount = count
    case let refused: return note(refused)
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

  /// Opens a datagram of control packets and hands it to `control`.
  @_noLocks
  mutating func receiveControl(
    _ datagram: borrowing ByteView, at now: MediaInstant, for control: inout ControlPath,
    adapting sender: inout PacketSender, _ events: inout EventQueue
  ) -> ReceiveOutcome {
    guard datagram.count <= packet.count else {
      faults.malformedPackets &+= 1
      return .malformed
    }
    packet.copy(datagram, to: 0)
    switch Self.unprotect(&packet, byteCount: datagram.count, isControl: true, by: &protection) {
    case .plain(let byteCount):
      control.receive(packet.view(0..<byteCount), at: now, adapting: &sender, &events)
      return .control
    case let refused: return note(refused)
    }
  }

  /// Whether arrivals wait to be reported.
  var hasTransportFeedback: Bool {
    @_noLocks get {
      switch transportFeedback {
      case .some(let feedback): feedback.isPending
      case .none: false
      }
    }
  }

  @_noLocks
  mutating func writeTransportFeedback(
    from ssrc: UInt32, with writer: inout RTCPWriter, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    guard transportFeedback != nil, let source else { return }
    try transportFeedback!.write(from: ssrc, about: source, with: &writer, into: &datagram)
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

    noteArrival(rtp, at: now)
    let payload = rtp.payloadRange
    statistics.packetsReceived &+= 1
    statistics.bytesReceived &+= payload.count
    statistics.headerBytesReceived &+= byteCount &- payload.count
    guard takesPart(content) else {
      // Keys take numbers of the stream, which must not look like losses.
      jitterBuffer.noteForeignPacket(sequenceNumber: rtp.header.sequenceNumber)
      _ = reception.registerUntimed(rtp.header, payloadByteCount: payload.count)
      statistics.packetsLost = lostBefore &+ reception.packetsLost
      if case .telephoneEvent = content { noteKey(payload, rtp.header, &events) }
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
    case .malformed:
      faults.malformedPackets &+= 1
      return .malformed
    case .implausible:
      faults.implausiblePackets &+= 1
      return .malformed
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

  /// Tells of keys, each once though its packets come many times.
  @_noLocks
  private mutating func noteKey(_ payload: Range<Int>, _ header: RTPHeader, _ events: inout EventQueue) {
    guard let event = TelephoneEvent(packet.view(payload)) else { return }
    switch keys.receive(event, at: header.timestamp) {
    case .none: break
    case .started(let code): events.append(.keyPressed(code: code))
    case .ended(let code, let duration, let wasStarted):
      if !wasStarted { events.append(.keyPressed(code: code)) }
      events.append(.keyReleased(code: code, milliseconds: Int(duration) / keyTicksPerMillisecond))
    }
  }

  @_noLocks
  private mutating func noteArrival(_ rtp: RTPPacket, at now: MediaInstant) {
    guard transportFeedback != nil,
      let place = rtp.extensionElement(transportSequence, in: packet.view), place.upperBound &- place.lowerBound == 2
    else { return }
    let number = UInt16(packet[place.lowerBound]) << 8 | UInt16(packet[place.lowerBound &+ 1])
    transportFeedback!.record(SequenceNumber(number), at: now)
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
  private mutating func note(_ refused: Opened) -> ReceiveOutcome {
    switch refused {
    case .replayed:
      faults.replayedPackets &+= 1
      return .duplicate
    case .unauthentic:
      faults.unauthenticPackets &+= 1
      return .unauthentic
    case .unexpectedStream:
      faults.unexpectedStreams &+= 1
      return .unexpectedStream
    case .malformed, .plain:
      faults.malformedPackets &+= 1
      return .malformed
    }
  }

  @_noLocks
  private static func unprotect(
    _ packet: inout ByteBuffer, byteCount: Int, isControl: Bool, by protection: inout SRTPReceiver?
  ) -> Opened {
    guard protection != nil else { return .plain(byteCount) }
    var bytes = packet.mutableSpan
    do throws(SRTPError) {
      return .plain(
        isControl
          ? try protection!.unprotectControl(&bytes, byteCount: byteCount)
          : try protection!.unprotect(&bytes, byteCount: byteCount))
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
