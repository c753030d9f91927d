public import RealtimeCore

/// Puts RTP headers before a codec's frames: numbers, timestamps, and the marker at each talkspurt's start.
///
/// The encoder writes its payload at `headerByteCount` of the packet, then `finish(payloadByteCount:in:)` writes the
/// header in front of it: nothing is copied. Call it for every frame, also for those the encoder gave no bytes for.
/// - Threads: any one at a time.
@frozen
public struct RTPPacketizer: Sendable, BitwiseCopyable {
  /// Who sends.
  public let ssrc: UInt32
  /// The codec's payload type, 0 to 127.
  public let payloadType: UInt8
  /// How far the RTP clock goes on in one codec frame: 160 for 20 ms of G.711, 960 for 20 ms of Opus.
  public let ticksPerFrame: Int
  /// The number that the next packet will carry.
  public private(set) var nextSequenceNumber: SequenceNumber
  /// The timestamp of the next frame.
  public private(set) var nextTimestamp: RTPTimestamp
  /// Packets made so far.
  public private(set) var packetsSent: Int = 0
  /// Payload bytes in them, headers and padding not counted (RFC 3550 §6.4.1).
  public private(set) var bytesSent: Int = 0
  /// What lies between the fixed header and the payload.
  public let headerExtension: RTPExtensionWriter
  /// The level that the next packet's header extension tells of.
  public var audioLevel = RTPPacket.AudioLevel.silence
  private var nextTransportNumber = SequenceNumber(0)
  private var startsTalkspurt = true

  /// A stream that begins at the numbers given.
  /// - Parameters:
  ///   - ssrc: pick it at random, as the two numbers (RFC 3550 §5.1), unless a test wants them fixed. With SRTP, begin
  ///     below 32,768: else a receiver that misses the first packets may misjudge the rollover counter (RFC 3711 §3.3.1).
  ///   - payloadType: 0 to 127; more traps.
  ///   - ticksPerFrame: 1 or more; less traps.
  ///   - headerExtension: what each packet carries besides, as agreed.
  public init(
    ssrc: UInt32, payloadType: UInt8, ticksPerFrame: Int, firstSequenceNumber: SequenceNumber,
    firstTimestamp: RTPTimestamp, headerExtension: RTPExtensionWriter = RTPExtensionWriter()
  ) {
    precondition(payloadType < 128, "RTPPacketizer: payload type \(payloadType) is outside 0 to 127")
    precondition(ticksPerFrame > 0, "RTPPacketizer: \(ticksPerFrame) ticks per frame; give 1 or more")
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.ticksPerFrame = ticksPerFrame
    nextSequenceNumber = firstSequenceNumber
    nextTimestamp = firstTimestamp
    self.headerExtension = headerExtension
  }

  /// Where a payload begins in its packet.
  public var headerByteCount: Int { @_noLocks get { RTPHeader.byteCount &+ headerExtension.byteCount } }

  /// Writes the header of a packet whose payload already lies behind the header's place, and moves on by one frame.
  /// - Parameter payloadByteCount: 0 when the encoder has nothing to send (discontinuous transmission): then only time
  ///   goes on, and the next packet starts a talkspurt.
  /// - Returns: the packet's size, 0 when there is none. Throws `noRoom` when `packet` cannot hold header and payload;
  ///   then the frame counts as not sent.
  @_noLocks
  public mutating func finish(payloadByteCount: Int, in packet: inout MutableSpan<UInt8>) throws(RTPError) -> Int {
    let timestamp = nextTimestamp
    nextTimestamp = timestamp.advanced(by: ticksPerFrame)
    guard payloadByteCount > 0 else {
      startsTalkspurt = true
      return 0
    }
    let needed = headerByteCount &+ payloadByteCount
    let room = packet.count
    guard needed <= room else {
      startsTalkspurt = true
      throw .noRoom(needed: needed, available: room)
    }
    try writeHeader(marker: startsTalkspurt, payloadType: payloadType, timestamp: timestamp, into: &packet)
    startsTalkspurt = false
    packetsSent &+= 1
    bytesSent &+= payloadByteCount
    return needed
  }

  /// Writes a packet that says of a key what `event` does. Time does not go on: use `skip` for the frame it stands for.
  /// - Parameter payloadType: that of telephone events, 0 to 127.
  /// - Returns: the packet's size. Throws `noRoom` when `packet` is shorter.
  @_noLocks
  public mutating func write(
    _ event: TelephoneEvent, payloadType: UInt8, timestamp: RTPTimestamp, marker: Bool,
    into packet: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    let needed = headerByteCount &+ TelephoneEvent.byteCount
    let room = packet.count
    guard needed <= room else { throw .noRoom(needed: needed, available: room) }
    var place = packet.part(headerByteCount..<needed)
    event.write(into: &place)
    try writeHeader(marker: marker, payloadType: payloadType, timestamp: timestamp, into: &packet)
    packetsSent &+= 1
    bytesSent &+= TelephoneEvent.byteCount
    return needed
  }

  @_noLocks
  private mutating func writeHeader(
    marker: Bool, payloadType: UInt8, timestamp: RTPTimestamp, into packet: inout MutableSpan<UInt8>
  ) throws(RTPError) {
    let header = RTPHeader(
      marker: marker, payloadType: payloadType, sequenceNumber: nextSequenceNumber, timestamp: timestamp, ssrc: ssrc)
    try header.write(into: &packet)
    headerExtension.write(level: audioLevel, transportNumber: nextTransportNumber, into: &packet)
    nextSequenceNumber = nextSequenceNumber.advanced(by: 1)
    nextTransportNumber = nextTransportNumber.advanced(by: 1)
  }

  /// Copies `payload` behind a header; otherwise as `finish(payloadByteCount:in:)`.
  @_noLocks
  public mutating func write(
    _ payload: borrowing ByteView, into packet: inout MutableSpan<UInt8>
  ) throws(RTPError) -> Int {
    let room = packet.count
    let payloadByteCount = payload.count
    if payloadByteCount > 0, headerByteCount &+ payloadByteCount <= room {
      var place = packet.part(headerByteCount..<room)
      payload.copy(into: &place)
    }
    return try finish(payloadByteCount: payloadByteCount, in: &packet)
  }

  /// Copies `payload` behind a header; see `write(_:into:)` for views.
  public mutating func write(_ payload: Span<UInt8>, into packet: inout MutableSpan<UInt8>) throws(RTPError) -> Int {
    try write(ByteView(payload), into: &packet)
  }

  /// Lets time go on without a frame, as while the microphone is off; the next packet starts a talkspurt.
  /// - Parameter ticks: 0 or more ticks of the RTP clock.
  @_noLocks
  public mutating func skip(ticks: Int) {
    nextTimestamp = nextTimestamp.advanced(by: ticks)
    startsTalkspurt = true
  }
}
