public import RealtimeCore

/// The last packets sent, protected as they went out, to be sent again when the peer misses them (RFC 4585 §6.2.1).
///
/// The very bytes are repeated: protecting a packet twice would use its place in the key stream twice, and the peer's
/// replay window takes the repeated one only if the first was lost.
/// - Threads: any one at a time. Set-up allocates, nothing else does.
public struct RetransmissionBuffer: ~Copyable, Sendable {
  /// Packets kept.
  public let packetCapacity: Int
  /// The longest packet kept.
  public let maximumPacketSize: Int
  /// Packets sent again, and their bytes; W3C's `retransmittedPacketsSent` and `retransmittedBytesSent`.
  public private(set) var retransmittedPacketsSent = 0
  /// Bytes of the packets sent again, headers and trailers included.
  public private(set) var retransmittedBytesSent = 0

  private var bytes: ByteBuffer
  // By the number's low bits: which packet, how long (0: none), when it went out last in nanoseconds.
  private var numbers: FixedBuffer<UInt16>
  private var byteCounts: FixedBuffer<Int>
  private var sendTimes: FixedBuffer<Int64>

  /// Memory for `packetCapacity` packets (a power of two up to 4,096; 64 are 1.28 s of 20 ms) of up to
  /// `maximumPacketSize` bytes.
  public init(packetCapacity: Int = 64, maximumPacketSize: Int = 1_500) {
    precondition(
      (1...4_096).contains(packetCapacity) && packetCapacity & (packetCapacity - 1) == 0,
      "RetransmissionBuffer: \(packetCapacity) packets; give a power of two up to 4096")
    precondition(
      (12...65_535).contains(maximumPacketSize),
      "RetransmissionBuffer: packets of \(maximumPacketSize) bytes are outside 12 to 65535")
    self.packetCapacity = packetCapacity
    self.maximumPacketSize = maximumPacketSize
    bytes = ByteBuffer(repeating: 0, count: packetCapacity * maximumPacketSize)
    numbers = FixedBuffer(repeating: 0, count: packetCapacity)
    byteCounts = FixedBuffer(repeating: 0, count: packetCapacity)
    sendTimes = FixedBuffer(repeating: 0, count: packetCapacity)
  }

  /// Keeps a packet that goes out now, in place of the one `packetCapacity` numbers older. A longer one than
  /// `maximumPacketSize` is not kept.
  @_noLocks
  public mutating func store(_ packet: borrowing ByteView, number: SequenceNumber, at now: MediaInstant) {
    let index = Int(number.rawValue) & (packetCapacity &- 1)
    let byteCount = packet.count
    guard byteCount <= maximumPacketSize else {
      byteCounts[index] = 0
      return
    }
    bytes.copy(packet, to: index &* maximumPacketSize)
    numbers[index] = number.rawValue
    byteCounts[index] = byteCount
    sendTimes[index] = now.nanoseconds
  }

  /// Copies a packet that the peer misses to the front of `packet`.
  /// - Parameter roundTripTime: in seconds. A packet that went out less than that ago is not sent again: the request was
  ///   made before it could arrive.
  /// - Returns: its size; 0 when it is not kept (any more), went out just now, or does not fit.
  @_noLocks
  public mutating func repeatPacket(
    _ number: SequenceNumber, roundTripTime: Double, at now: MediaInstant, into packet: inout MutableSpan<UInt8>
  ) -> Int {
    let index = Int(number.rawValue) & (packetCapacity &- 1)
    let byteCount = byteCounts[index]
    guard byteCount > 0, numbers[index] == number.rawValue, byteCount <= packet.count else { return 0 }
    let wait = Int64(Swift.max(0, Swift.min(10, roundTripTime)) * 1e9)
    guard now.nanoseconds &- sendTimes[index] >= wait else { return 0 }
    sendTimes[index] = now.nanoseconds
    let start = index &* maximumPacketSize
    var offset = 0
    while offset < byteCount {
      packet[offset] = bytes[start &+ offset]
      offset &+= 1
    }
    retransmittedPacketsSent &+= 1
    retransmittedBytesSent &+= byteCount
    return byteCount
  }
}
