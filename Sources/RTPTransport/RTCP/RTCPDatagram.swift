public import RealtimeCore

/// The packets of one datagram, in order. All of them are checked before the first is given out, so that a datagram that
/// is damaged somewhere has no effect at all (RFC 3550 appendix A.2).
@frozen
public struct RTCPDatagram: Sendable, BitwiseCopyable {
  private var offset = 0
  private let byteCount: Int

  /// Checks the datagram, decrypted.
  /// - Parameter allowsReducedSize: whether it may begin with something else than a report (RFC 5506), as agreed by
  ///   SDP's `a=rtcp-rsize`.
  @_noLocks
  public init(_ datagram: borrowing ByteView, allowsReducedSize: Bool) throws(RTCPError) {
    byteCount = datagram.count
    var offset = 0
    repeat {
      let packet = try RTCPPacket(datagram, at: offset)
      if offset == 0, !allowsReducedSize, packet.type != 200, packet.type != 201 {
        throw .noReportInFront(type: packet.type)
      }
      offset = packet.end
    } while offset < byteCount
  }

  /// The next packet; `nil` behind the last.
  /// - Parameter datagram: the one that was checked.
  @_noLocks
  public mutating func next(in datagram: borrowing ByteView) -> RTCPPacket? {
    guard offset < byteCount, datagram.count == byteCount, let packet = try? RTCPPacket(datagram, at: offset) else {
      return nil
    }
    offset = packet.end
    return packet
  }
}
