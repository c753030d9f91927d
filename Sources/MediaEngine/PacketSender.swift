internal import AudioCodecs
internal import CKernels
internal import RTPTransport
internal import RealtimeCore

/// Encodes frames, puts headers before them, protects them and keeps them until somebody takes them to the wire.
struct PacketSender: ~Copyable {
  /// Samples in one packet at the codec's rate.
  let frameSampleCount: Int

  /// Bytes of the longest packet, with header and trailer.
  let maximumPacketByteCount: Int

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
  private let frameNanoseconds: Int64
  private var keys: TelephoneEventSender
  private let keyType: UInt8?
  private let ticksPerMillisecond: Int
  /// Whether nothing goes out while time goes on.
  var isSilenced = false

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
      firstTimestamp: RTPTimestamp(settings.stream.firstTimestamp),
      headerExtension: settings.headerExtension.writer)
    let size = packetizer.headerByteCount + longest + 32
    maximumPacketByteCount = size
    encoded = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
    packet = ByteBuffer(repeating: 0, count: size)
    let ring = PacketRing(packetCapacity: Self.capacity, maximumPacketSize: size)
    outgoing = ring.writer
    waiting = ring.reader
    overheadByteCount = packetizer.headerByteCount + (settings.security?.send.profile.trailerByteCount ?? 0)
    controlTrailerByteCount = settings.security?.send.profile.controlTrailerByteCount ?? 0
    frameNanoseconds = codecRate.nanoseconds(sampleCount: encoder.frameSampleCount)
    ticksPerMillisecond = max(1, settings.sendFormat.clockRate / 1_000)
    keyType = settings.telephoneEventType
    keys = TelephoneEventSender(pauseTicks: 60 * ticksPerMillisecond)
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

  /// Sends one frame of `frameSampleCount` samples whose last was taken at `now`.
  @_noLocks
  mutating func send(_ frame: borrowing SampleView, isVoice: Bool, at now: MediaInstant, _ times: inout StageTimes) {
    times.start()
    let captured = now.advanced(byNanoseconds: 0 &- frameNanoseconds)
    if let key = keys.next(at: packetizer.nextTimestamp, ticksPerFrame: packetizer.ticksPerFrame), let keyType {
      sendKey(key, payloadType: keyType, captured: captured)
      packetizer.skip(ticks: packetizer.ticksPerFrame)
      return
    }
    guard !isSilenced else {
      packetizer.skip(ticks: packetizer.ticksPerFrame)
      return
    }
    packetizer.audioLevel = Self.level(of: frame, isVoice: isVoice)
    let payloadByteCount: Int
    if redundancy != nil {
      let count = Self.encode(frame, by: &encoder, into: &encoded, from: 0)
      payloadByteCount =
        count <= 0
        ? count
        : Self.write(
          encoded, count, at: packetizer.nextTimestamp, by: &redundancy, into: &packet,
          from: packetizer.headerByteCount)
    } else {
      payloadByteCount = Self.encode(frame, by: &encoder, into: &packet, from: packetizer.headerByteCount)
    }
    times.end(.encoding)
    guard payloadByteCount >= 0 else {
      encoderFailures &+= 1
      packetizer.skip(ticks: packetizer.ticksPerFrame)
      return
    }
    let byteCount = Self.seal(&packet, payloadByteCount: payloadByteCount, by: &packetizer, protection: &protection)
    queue(byteCount: byteCount, captured: captured)
    times.end(.protection)
  }

  @_noLocks
  private mutating func sendKey(_ key: TelephoneEventSender.Packet, payloadType: UInt8, captured: MediaInstant) {
    packetizer.audioLevel = .silence
    for _ in 0..<key.copies {
      let byteCount = Self.seal(&packet, key, payloadType, by: &packetizer, protection: &protection)
      queue(byteCount: byteCount, captured: captured)
    }
  }

  @_noLocks
  private mutating func queue(byteCount: Int, captured: MediaInstant) {
    guard byteCount > 0 else { return }
    if waiting.availableCount == Self.capacity {  // nobody polls: the newest sound is worth more than the oldest
      waiting.removeFront()
      unsentPackets &+= 1
    }
    Self.queue(packet, byteCount: byteCount, captured: captured, in: &outgoing)
  }

  /// RFC 6464 §3: the RMS in decibels below the loudest square wave.
  @_noLocks
  private static func level(of frame: borrowing SampleView, isVoice: Bool) -> RTPPacket.AudioLevel {
    guard frame.count > 0 else { return .silence }
    let meanSquare = unsafe antiphon_energy(frame.pointer, frame.count) / Float(frame.count)
    guard meanSquare > 1e-13 else { return RTPPacket.AudioLevel(isVoice: isVoice, decibelsBelowOverload: 127) }
    return RTPPacket.AudioLevel(
      isVoice: isVoice, decibelsBelowOverload: Int(-10 * antiphon_log10f(meanSquare) + 0.5))
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
    into packet: inout ByteBuffer, from start: Int
  ) -> Int {
    var payload = packet.mutableSpan(start..<packet.count)
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

  /// As `seal` for a pressed key.
  @_noLocks
  private static func seal(
    _ packet: inout ByteBuffer, _ key: TelephoneEventSender.Packet, _ payloadType: UInt8,
    by packetizer: inout RTPPacketizer, protection: inout SRTPSender?
  ) -> Int {
    var bytes = packet.mutableSpan
    do throws(RTPError) {
      let byteCount = try packetizer.write(
        key.event, payloadType: payloadType, timestamp: key.timestamp, marker: key.marker, into: &bytes)
      guard protection != nil else { return byteCount }
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
  private static func queue(
    _ packet: borrowing ByteBuffer, byteCount: Int, captured: MediaInstant, in outgoing: inout PacketRing.Writer
  ) {
    _ = outgoing.write(packet.view(0..<byteCount), at: captured)  // room was made before
  }

  /// Bytes that protection adds to a control datagram.
  let controlTrailerByteCount: Int

  /// Protects a control datagram in place; returns its new size, 0 when there is no room for the trailer.
  @_noLocks
  mutating func protectControl(_ datagram: inout MutableSpan<UInt8>, byteCount: Int) -> Int {
    guard protection != nil else { return byteCount }
    do throws(SRTPError) {
      return try protection!.protectControl(&datagram, byteCount: byteCount)
    } catch {
      return 0
    }
  }

  /// Presses a key; false when keys were not agreed on or too many wait.
  @_noLocks
  mutating func pressKey(_ code: UInt8, milliseconds: Int) -> Bool {
    guard keyType != nil else { return false }
    return keys.press(code, ticks: milliseconds &* ticksPerMillisecond)
  }

  /// Drops what nobody has taken yet.
  @_noLocks
  mutating func discardWaiting() {
    while waiting.availableCount > 0 {
      waiting.removeFront()
      unsentPackets &+= 1
    }
  }

  /// What became of a wish for a packet.
  enum Next: BitwiseCopyable {
    case none
    case packet(byteCount: Int, payloadByteCount: Int, captured: MediaInstant)
    case tooLong
  }

  /// Moves the oldest waiting packet to `datagram`, which counts as sent; one that does not fit is dropped.
  @_noLocks
  mutating func nextPacket(into datagram: inout MutableSpan<UInt8>) -> Next {
    guard waiting.availableCount > 0 else { return .none }
    let room = datagram.count
    let captured = waiting.frontArrival() ?? .zero
    let byteCount = Self.copyFront(of: &waiting, into: &datagram, room: room)
    waiting.removeFront()
    if byteCount > room {
      unsentPackets &+= 1
      return .tooLong
    }
    statistics.packetsSent &+= 1
    statistics.bytesSent &+= byteCount &- overheadByteCount
    statistics.headerBytesSent &+= overheadByteCount
    return .packet(byteCount: byteCount, payloadByteCount: byteCount &- overheadByteCount, captured: captured)
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
