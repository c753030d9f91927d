public import RealtimeCore

// The same calls for spans, which callers outside the audio path have at hand.

extension RTCPPacket {
  /// See `init(_:at:)` for views.
  public init(_ datagram: Span<UInt8>, at offset: Int = 0) throws(RTCPError) {
    try self.init(ByteView(datagram), at: offset)
  }
  /// See `sender(in:)` for views.
  public func sender(in datagram: Span<UInt8>) -> UInt32? { sender(in: ByteView(datagram)) }
  /// See `senderInfo(in:)` for views.
  public func senderInfo(in datagram: Span<UInt8>) -> RTCPSenderInfo? { senderInfo(in: ByteView(datagram)) }
  /// See `reportBlock(_:in:)` for views.
  public func reportBlock(_ index: Int, in datagram: Span<UInt8>) -> RTCPReportBlock? {
    reportBlock(index, in: ByteView(datagram))
  }
  /// See `leavingSource(_:in:)` for views.
  public func leavingSource(_ index: Int, in datagram: Span<UInt8>) -> UInt32? {
    leavingSource(index, in: ByteView(datagram))
  }
  /// See `reasonForLeaving(in:)` for views.
  public func reasonForLeaving(in datagram: Span<UInt8>) -> Range<Int>? { reasonForLeaving(in: ByteView(datagram)) }
  /// See `canonicalName(of:in:)` for views.
  public func canonicalName(of ssrc: UInt32, in datagram: Span<UInt8>) -> Range<Int>? {
    canonicalName(of: ssrc, in: ByteView(datagram))
  }
  /// See `mediaSource(in:)` for views.
  public func mediaSource(in datagram: Span<UInt8>) -> UInt32? { mediaSource(in: ByteView(datagram)) }
  /// See `missingPackets(_:in:)` for views.
  public func missingPackets(_ index: Int, in datagram: Span<UInt8>) -> (first: SequenceNumber, following: UInt16)? {
    missingPackets(index, in: ByteView(datagram))
  }
}

extension RTCPDatagram {
  /// See `init(_:allowsReducedSize:)` for views.
  public init(_ datagram: Span<UInt8>, allowsReducedSize: Bool) throws(RTCPError) {
    try self.init(ByteView(datagram), allowsReducedSize: allowsReducedSize)
  }
  /// See `next(in:)` for views.
  public mutating func next(in datagram: Span<UInt8>) -> RTCPPacket? { next(in: ByteView(datagram)) }
}

extension RTCPWriter {
  /// See `addCanonicalName(_:of:into:)` for views.
  public mutating func addCanonicalName(
    _ name: Span<UInt8>, of ssrc: UInt32, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) { try addCanonicalName(ByteView(name), of: ssrc, into: &datagram) }
  /// See `addGoodbye(_:reason:into:)` for views.
  public mutating func addGoodbye(
    _ ssrc: UInt32, reason: Span<UInt8>, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) { try addGoodbye(ssrc, reason: ByteView(reason), into: &datagram) }
}

extension RTCPSession {
  /// See `receive(_:at:)` for views.
  public mutating func receive(_ datagram: Span<UInt8>, at now: MediaInstant) throws(RTCPError) {
    try receive(ByteView(datagram), at: now)
  }
  /// See `writeGoodbye(reason:into:)` for views.
  public mutating func writeGoodbye(
    reason: Span<UInt8>, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) -> Int { try writeGoodbye(reason: ByteView(reason), into: &datagram) }
}

extension RetransmissionBuffer {
  /// See `store(_:number:at:)` for views.
  public mutating func store(_ packet: Span<UInt8>, number: SequenceNumber, at now: MediaInstant) {
    store(ByteView(packet), number: number, at: now)
  }
}
