internal import AudioCodecs
internal import COpusFile
internal import RealtimeCore

/// Decodes the packets of mono and stereo streams in libopusfile's place.
///
/// libopusfile uses libopus' multistream decoder for every file, and that asks the processor for its features anew with
/// each packet. In a virtual machine each question is a trap to the hypervisor; together they took longer than the sound.
@safe  // `file` is used only during callbacks, which come from calls on that very file
final class OggOpusPacketDecoder {
  private let file: OpaquePointer
  private var decoder: OpusDecoder?
  /// The chained stream that `decoder` was made for.
  private var link: Int32 = -1

  /// Decodes for `file` from now on; must live as long as it.
  init(file: OpaquePointer) {
    unsafe self.file = file
    unsafe op_set_decode_callback(
      file,
      { context, _, target, packet, frameCount, channelCount, format, link in
        guard format == OP_DEC_FORMAT_FLOAT, let target = unsafe target, let packet = unsafe packet else {
          return OP_DEC_USE_DEFAULT
        }
        let samples = unsafe UnsafeMutableBufferPointer(
          start: target.assumingMemoryBound(to: Float.self), count: Int(frameCount) * Int(channelCount))
        let bytes = unsafe UnsafeBufferPointer(start: packet.pointee.packet, count: packet.pointee.bytes)
        let own = unsafe Unmanaged<OggOpusPacketDecoder>.fromOpaque(context!).takeUnretainedValue()
        return unsafe own.decode(bytes, into: samples, channelCount: Int(channelCount), link: link)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// - Returns: 0, or a code that libopusfile expects from libopus.
  private func decode(
    _ packet: UnsafeBufferPointer<UInt8>, into samples: UnsafeMutableBufferPointer<Float>, channelCount: Int,
    link: Int32
  ) -> Int32 {
    if link != self.link {
      decoder = unsafe Self.decoder(for: op_head(file, link).pointee, channelCount: channelCount)
      self.link = link
    }
    var target = unsafe MutableSpan(_unsafeElements: samples)
    do throws(OpusError) {
      let packet = unsafe Span(_unsafeElements: packet)
      guard let frameCount = try decoder?.decode(packet, into: &target) else { return OP_DEC_USE_DEFAULT }
      return frameCount * channelCount == target.count ? 0 : OP_EBADPACKET
    } catch {
      return OP_EBADPACKET
    }
  }

  /// `nil` where a packet holds more than one stream, or the channels are mapped in an order of their own.
  private static func decoder(for head: OpusHead, channelCount: Int) -> OpusDecoder? {
    guard head.stream_count == 1, head.channel_count == channelCount, head.coupled_count == channelCount - 1,
      head.mapping.0 == 0, channelCount == 1 || head.mapping.1 == 1
    else { return nil }
    var decoder = try? OpusDecoder(sampleRate: .hz48000, channelCount: channelCount)
    decoder?.setGain(decibels: Float(head.output_gain) / 256)
    return decoder
  }
}
