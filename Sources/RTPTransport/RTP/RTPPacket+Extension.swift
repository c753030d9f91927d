public import RealtimeCore

// RFC 8285 §4.2, profile 0xBEDE, one-byte elements:      §4.3, profile 0x100x, two-byte elements:
//
//   0 1 2 3 4 5 6 7                                        0                   1
//  +-+-+-+-+-+-+-+-+-- - -                                 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
//  |  ID   | len-1 | data                                 +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-- - -
//  +-+-+-+-+-+-+-+-+-- - -                                |      ID       |    length     | data
//
// A zero byte is padding between elements; ID 15 ends the one-byte form.

extension RTPPacket {
  /// Where the data of the header extension element `id` lies in the packet; `nil` when there is none or it is cut off.
  /// - Parameter id: 1 to 14 in the one-byte form, 1 to 255 in the two-byte form, as agreed by SDP's `extmap`.
  @_noLocks
  public func extensionElement(_ id: UInt8, in datagram: borrowing ByteView) -> Range<Int>? {
    guard let profile = extensionProfile, id != 0, payloadStart <= datagram.count else { return nil }
    if profile == 0xBEDE { return oneByteElement(id, in: datagram) }
    if profile & 0xFFF0 == 0x1000 { return twoByteElement(id, in: datagram) }
    return nil
  }

  /// Where an element's data lies; see `extensionElement(_:in:)` for views.
  public func extensionElement(_ id: UInt8, in datagram: Span<UInt8>) -> Range<Int>? {
    extensionElement(id, in: ByteView(datagram))
  }

  /// The talker's level that the sender measured (RFC 6464); `nil` when element `id` is absent.
  @_noLocks
  public func audioLevel(_ id: UInt8, in datagram: borrowing ByteView) -> AudioLevel? {
    guard let range = extensionElement(id, in: datagram), range.upperBound > range.lowerBound else { return nil }
    let byte = datagram[range.lowerBound]
    return AudioLevel(isVoice: byte & 0x80 != 0, decibelsBelowOverload: Int(byte & 0x7F))
  }

  /// The talker's level; see `audioLevel(_:in:)` for views.
  public func audioLevel(_ id: UInt8, in datagram: Span<UInt8>) -> AudioLevel? {
    audioLevel(id, in: ByteView(datagram))
  }

  /// What RFC 6464 says about a packet's sound.
  @frozen
  public struct AudioLevel: Hashable, Sendable, BitwiseCopyable {
    /// Whether the sender took it for speech.
    public let isVoice: Bool
    /// The level as -dBov: 0 is the loudest, 127 silence.
    public let decibelsBelowOverload: Int

    /// A level; of `decibelsBelowOverload` what fits into 0 to 127.
    @_noLocks
    public init(isVoice: Bool, decibelsBelowOverload: Int) {
      self.isVoice = isVoice
      self.decibelsBelowOverload = Swift.max(0, Swift.min(127, decibelsBelowOverload))
    }
  }

  @_noLocks
  private func oneByteElement(_ id: UInt8, in datagram: borrowing ByteView) -> Range<Int>? {
    var offset = extensionStart
    while offset < payloadStart {
      let head = datagram[offset]
      offset &+= 1
      if head >> 4 == 0 { continue }  // padding; an ID of 0 with a length is to be skipped as such (RFC 8285 §4.2)
      if head >> 4 == 15 { return nil }
      let end = offset &+ Int(head & 0x0F) &+ 1
      guard end <= payloadStart else { return nil }
      if head >> 4 == id { return offset..<end }
      offset = end
    }
    return nil
  }

  @_noLocks
  private func twoByteElement(_ id: UInt8, in datagram: borrowing ByteView) -> Range<Int>? {
    var offset = extensionStart
    while offset < payloadStart {
      let head = datagram[offset]
      offset &+= 1
      if head == 0 { continue }
      guard offset < payloadStart else { return nil }
      let end = offset &+ 1 &+ Int(datagram[offset])
      guard end <= payloadStart else { return nil }
      if head == id { return offset &+ 1..<end }
      offset = end
    }
    return nil
  }
}
