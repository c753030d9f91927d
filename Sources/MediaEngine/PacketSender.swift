internal import AudioCodecs
internal import RTPTransport
internal import RealtimeCore

/// Encodes frames, puts headers before them, protects them and keeps them until somebody takes them to the wire.
struct PacketSender: ~Copyable {
  /// Samples in one packet at the codec's rate.
  let frameSampleCount: Int

  private var encoder: AudioEncoder
  /// With RED, frames are encoded into `encoded` and written to the packet with those before them.
  private var redundancy: RedundancyWriter?
  private var encoded: ByteBuffer
  private var packetizer: RTPPacketizer
  private var protection: SRTPSender?
  private var packet: ByteBuffer
  private var outgoing: PacketRing.Writer
  private var waiting: PacketRing.Reader
  /// Bytes of header and trailer in each packet.
  private let overheadByteCount: Int

  private(set) var statistics = MediaStatistics.OutboundRTP()
  private(set) var encoderFailures = 0

  /// Packets that can wait: 1.28 s of 20 ms.
  private static var capacity: Int { 64 }

  init(_ settings: MediaEngineSettings, codecRate: SampleRate) throws(MediaEngineError) {
    let encoder = try settings.makeEncoder(sampleRate: codecRate)
    let protection = try settings.makeSRTPSender()
    let redundancy = settings.makeRedundancyWriter(maximumPayloadByteCount: encoder.maximumPayloadByteCount)
    let longest = Self.longestPayload(encoder, redundancy)
    frameSampleCount = encoder.frameSampleCount
    packetizer = RTPPacketizer(
      ssrc: settings.stream.ssrc,
      payloadType: redundancy == nil ? settings.sendFormat.payloadType : settings.redundancy!.payloadType,
      ticksPerFrame: Int(settings.sendFormat.timestampStep),
      firstSequenceNumber: SequenceNumber(settings.stream.firstSequenceNumber),
      firstTimestamp: RTPTimestamp(settings.stream.firstTimestamp))
    let size = RTPHeader.byteCount + longest + 32
    encoded = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
    packet = ByteBuffer(repeating: 0, count: size)
    let ring = PacketRing(packetCapacity: Self.capacity, maximumPacketSize: size)
    outgoing = ring.writer
    waiting = ring.reader
    overheadByteCount = RTPHeader.byteCount + (settings.security?.send.profile.trailerByteCount ?? 0)
    self.encoder = encoder
    self.redundancy = redundancy
    self.protection = protection
  }

  private static func longestPayload(
    _ encoder: borrowing AudioEncoder, _ redundancy: borrowing RedundancyWriter?
  ) -> Int {
    switch redundancy {
    case .some(let writer): writer.maximumByteCount
    case .none: encoder.maximumPayloadByteCount
    }
  }

  /// Sends one frame of `frameSampleCount` samples.
  @_noLocks
  mutating func send(_ frame: borrowing SampleView, _ times: inout StageTimes) {
    times.start()
    let payloadByteCount: Int
    if redundancy != nil {
      let count = Self.encode(frame, by: &encoder, into: &encoded, from: 0)
      payloadByteCount =
        count <= 0
        ? count : Self.write(encoded, count, at: packetizer.nextTimestamp, by: &redundancy, into: &packet)
    } else {
      payloadByteCount = Self.encode(frame, by: &encoder, into: &packet, from: RTPHeader.byteCount)
    }
    times.end(.encoding)
    guard payloadByteCount >= 0 else {
      encoderFailures &+= 1
      packetizer.skip(ticks: packetizer.ticksPerFrame)
      return
    }
    let byteCount = Self.seal(&packet, payloadByteCount: payloadByteCount, by: &packetizer, protection: &protection)
    if byteCount > 0 {
      if waiting.availableCount == Self.capacity {  // nobody polls: the newest sound is worth more than the oldest
        waiting.removeFront()
        unsentPackets &+= 1
      }
      Self.queue(packet, byteCount: byteCount, in: &outgoing)
    }
    times.end(.protection)
  }

  /// -1 when the encoder refuses.
  @_noLocks
  private static func encode(
    _ frame: borrowing SampleView, by encoder: inout AudioEncoder, into packet: inout ByteBuffer, from start: Int
  ) -> Int {
    var payload = packet.mutableSpan(start..<packet.count)
    do throws(CodecError) {
      return try encoder.encode(frame, into: &payload)
    } catch {
      return -1
    }
  }

  /// -1 when it does not fit, which the packet's size rules out.
  @_noLocks
  private static func write(
    _ encoded: borrowing ByteBuffer, _ count: Int, at timestamp: RTPTimestamp, by redundancy: inout RedundancyWriter?,
    into packet: inout ByteBuffer
  ) -> Int {
    var payload = packet.mutableSpan(RTPHeader.byteCount..<packet.count)
    do throws(RTPError) {
      return try redundancy!.write(encoded.view(0..<count), timestamp: timestamp, into: &payload)
    } catch {
      return -1
    }
  }

  /// The packet's size on the wire; 0 when there is nothing to send.
  @_noLocks
  private static func seal(
    _ packet: inout ByteBuffer, payloadByteCount: Int, by packetizer: inout RTPPacketizer,
    protection: inout SRTPSender?
  ) -> Int {
    var bytes = packet.mutableSpan
    // Neither can throw: the buffer was made with room for both, and the sender owns its SSRC.
    do throws(RTPError) {
      let byteCount = try packetizer.finish(payloadByteCount: payloadByteCount, in: &bytes)
      guard byteCount > 0, protection != nil else { return byteCount }
      do throws(SRTPError) {
        return try protection!.protect(&bytes, byteCount: byteCount)
      } catch {
        return 0
      }
    } catch {
      return 0
    }
  }

  @_noLocks
  private static func queue(_ packet: borrowing ByteBuffer, byteCount: Int, in outgoing: inout PacketRing.Writer) {
    _ = outgoing.write(packet.view(0..<byteCount), at: .zero)  // room was made before
  }

  /// What became of a wish for a packet.
  enum Next: BitwiseCopyable { case none, packet(byteCount: Int), tooLong }

  /// Moves the oldest waiting packet to `datagram`, which counts as sent; one that does not fit is dropped.
  @_noLocks
  mutating func nextPacket(into datagram: inout MutableSpan<UInt8>) -> Next {
    guard waiting.availableCount > 0 else { return .none }
    let room = datagram.count
    let byteCount = Self.copyFront(of: &waiting, into: &datagram, room: room)
    waiting.removeFront()
    if byteCount > room {
      unsentPackets &+= 1
      return .tooLong
    }
    statistics.packetsSent &+= 1
    statistics.bytesSent &+= byteCount &- overheadByteCount
    statistics.headerBytesSent &+= overheadByteCount
    return .packet(byteCount: byteCount)
  }

  @_noLocks
  private static func copyFront(
    of waiting: inout PacketRing.Reader, into datagram: inout MutableSpan<UInt8>, room: Int
  ) -> Int {
    let front = waiting.front()
    if front.count <= room { front.copy(into: &datagram) }
    return front.count
  }

  /// Packets that waited too long, or found no room in the buffer that `poll` was given.
  private(set) var unsentPackets = 0

  /// How far decoded audio lies behind the frame, in ms: the encoder's lookahead.
  var lookaheadMilliseconds: Double {
    1_000 * Double(encoder.algorithmicDelay) / Double(encoder.sampleRate.hertz)
  }

  @_noLocks
  mutating func setBitrate(_ bitsPerSecond: Int) {
    do throws(CodecError) { try encoder.setBitrate(.bitsPerSecond(bitsPerSecond)) } catch { encoderFailures &+= 1 }
  }

  @_noLocks
  mutating func setExpectedPacketLoss(_ percent: Int) {
    do throws(CodecError) {
      try encoder.setExpectedPacketLoss(percent)
      try encoder.setForwardErrorCorrection(percent > 0)
    } catch {
      encoderFailures &+= 1
    }
  }
}
