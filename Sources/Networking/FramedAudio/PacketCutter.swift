public import RealtimeCore

/// Cuts a stream of samples into packets of exactly one size, for receivers that take no other (20 ms at 8, 16 or 24 kHz:
/// 320, 640 or 960 bytes of `pcm16`).
///
/// ```swift
/// var rest = 0
/// while rest < samples.count {
///   rest += cutter.push(samples.extracting(rest..<samples.count))
///   if cutter.isComplete { socket.offer(cutter.packet) ; cutter.begin() }
/// }
/// ```
/// Memory: one packet, allocated in `init`; nothing is allocated afterwards.
/// - Threads: any one at a time; all but `init` is for the audio path.
public struct PacketCutter: ~Copyable, Sendable {
  /// Bytes of each packet.
  public let packetByteCount: Int
  private let encoder: FramedAudioEncoder
  private var bytes: ByteBuffer
  private var filled = 0

  /// A cutter with an empty packet.
  /// - Throws: `unevenPacket` when the length is no whole number of samples.
  public init(_ format: FramedAudioFormat, milliseconds: Int = 20) throws(FramedAudioError) {
    let hertz = format.sampleRate.hertz
    guard milliseconds > 0, hertz * milliseconds % 1_000 == 0 else {
      throw .unevenPacket(milliseconds: milliseconds, hertz: hertz)
    }
    encoder = FramedAudioEncoder(format)
    packetByteCount = format.packetByteCount(milliseconds: milliseconds)
    bytes = ByteBuffer(repeating: 0, count: packetByteCount)
  }

  /// Whether the packet is full, and waits to be sent and begun anew.
  public var isComplete: Bool {
    @_noLocks get { filled == packetByteCount }
  }

  /// Adds samples until the packet is full.
  /// - Returns: the samples taken; 0 when the packet is complete.
  @_noLocks
  public mutating func push(_ samples: borrowing SampleView) -> Int {
    let encoder = encoder
    var rest = bytes.mutableSpan(filled..<packetByteCount)
    let written = encoder.encode(samples, into: &rest)
    filled = filled &+ written
    return written / encoder.format.bytesPerSample
  }

  /// The same for callers that are not on the audio path.
  public mutating func push(_ samples: Span<Float>) -> Int { push(SampleView(samples)) }

  /// The packet; whole when `isComplete`.
  public var packet: Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span }
  }

  /// The same for the audio path.
  public var packetView: ByteView {
    @_lifetime(borrow self) @_noLocks get { bytes.view }
  }

  /// Fills what is left of a begun packet with silence, for the end of a turn.
  /// - Returns: whether there is a packet to be sent.
  @_noLocks
  public mutating func fill() -> Bool {
    guard filled > 0 else { return false }
    bytes.fill(filled..<packetByteCount, with: encoder.format.silence)
    filled = packetByteCount
    return true
  }

  /// Begins the next packet; what is in this one is forgotten.
  @_noLocks
  public mutating func begin() { filled = 0 }
}
