import AudioCodecs
import RealtimeCore

// The decoder beside buffers of the same owner: as arguments of their own they can be changed at the same time.
extension AudioDecoder {
  /// Conceals `count` samples into the front of `buffer`.
  /// - Returns: the samples written, possibly fewer or none.
  @_noLocks
  mutating func conceal(into buffer: inout SampleBuffer, count: Int) -> Int {
    var span = buffer.mutableSpan(0..<count)
    return conceal(into: &span)
  }

  /// Decodes the packet at `position` of `store` into the front of `buffer`.
  /// - Returns: the samples written; `nil` when the codec cannot read it.
  @_noLocks
  mutating func decode(_ store: borrowing PacketStore, _ position: Int, into buffer: inout SampleBuffer) -> Int? {
    var span = buffer.mutableSpan
    do throws(CodecError) {
      return try decode(store.payload(position), into: &span)
    } catch {
      return nil
    }
  }

  /// Decodes the copy of the audio before the packet at `position` of `store` into the front of `buffer`.
  /// - Parameter count: samples of that packet.
  /// - Returns: the samples written; `nil` when there is no copy.
  @_noLocks
  mutating func decodeRedundancy(
    _ store: borrowing PacketStore, _ position: Int, into buffer: inout SampleBuffer, count: Int
  ) -> Int? {
    var span = buffer.mutableSpan(0..<count)
    do throws(CodecError) {
      return try decodeRedundancy(store.payload(position), into: &span)
    } catch {
      return nil
    }
  }
}
