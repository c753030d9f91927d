public import RealtimeCore

/// The media packets of a stream without RTP headers, to be sent over a `NetworkTrace`.
///
///     { length32 sequence16 timestamp32 payload }*     little endian, nothing in front or between
public struct PacketFile: ~Copyable {
  /// One packet.
  public struct Packet: Hashable, Sendable {
    /// RTP sequence number, wrapping.
    public var sequenceNumber: SequenceNumber
    /// RTP timestamp, in ticks of the media clock, wrapping.
    public var timestamp: RTPTimestamp
    /// What the codec made; may be empty.
    public var payload: [UInt8]

    /// A packet of these fields.
    public init(sequenceNumber: SequenceNumber, timestamp: RTPTimestamp, payload: [UInt8]) {
      self.sequenceNumber = sequenceNumber
      self.timestamp = timestamp
      self.payload = payload
    }
  }

  /// Packets read so far.
  public private(set) var packetCount = 0
  private var input: SequentialBytes

  /// The most that a UDP datagram carries; a greater length is no packet.
  public static let payloadLimit = 65_507

  /// Opens a file; "-" is standard input.
  public init(path: String) throws(AudioFileError) {
    let file = try FileBytes(path: path)
    input = SequentialBytes(file)
  }

  /// The next packet; `nil` at the end. Throws `.cutRecord` when the file ends inside one; those before were whole.
  public mutating func next() throws(AudioFileError) -> Packet? {
    let start = input.offset
    guard let header = try input.read(10) else {
      let end = try input.end()
      if end == start { return nil }
      throw .cutRecord(path: input.path, byte: end, recordsBefore: packetCount)
    }
    let length = header.integer(0, bigEndian: false)
    guard length <= Self.payloadLimit else {
      throw .damaged(
        path: input.path,
        reason:
          "the record at byte \(start) has a payload of \(length) bytes, more than a datagram's \(Self.payloadLimit)")
    }
    guard let payload = try input.read(Int(length)) else {
      throw .cutRecord(path: input.path, byte: try input.end(), recordsBefore: packetCount)
    }
    packetCount += 1
    return Packet(
      sequenceNumber: SequenceNumber(UInt16(header.shortInteger(4, bigEndian: false))),
      timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: header.integer(6, bigEndian: false))), payload: payload)
  }

  /// Writes `packets` to a file; "-" is standard output.
  public static func write(_ packets: some Sequence<Packet>, to path: String) throws(AudioFileError) {
    let sink = try ByteSink(path: path)
    for packet in packets {
      guard packet.payload.count <= payloadLimit else {
        throw .invalidSetting("a payload of \(packet.payload.count) bytes is more than a datagram's \(payloadLimit)")
      }
      try sink.append(
        UInt32(packet.payload.count).littleEndianBytes + packet.sequenceNumber.rawValue.littleEndianBytes
          + packet.timestamp.rawValue.littleEndianBytes + packet.payload)
    }
    try sink.finish()
  }
}
