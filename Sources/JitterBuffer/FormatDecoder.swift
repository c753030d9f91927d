import AudioCodecs
import RealtimeCore
import SignalProcessing

/// The decoder of one payload type, with its output at the rate of the whole buffer.
///
/// Where the decoder's rate is another one, a resampler follows it for good, also over what is concealed: so the signal has
/// no seam between the two. It makes the sound later by its filter's delay, 2.5 ms at most.
struct FormatDecoder: ~Copyable, Sendable {
  let format: CodecFormat
  /// Ticks of the buffer's clock for one sample of the decoder.
  private let ticksPerSample: Int64
  private let decoderRate: Int
  private let outputRate: Int
  private var decoder: AudioDecoder
  private var resampler: Resampler?
  /// What the decoder made, where it is to be resampled.
  private var made: SampleBuffer

  /// - Parameter longest: the most samples of one packet at the output's rate.
  init(
    _ decoder: consuming AudioDecoder, outputRate: SampleRate, clockRate: Int, longest: Int
  ) throws(CodecError) {
    let rate = decoder.sampleRate
    var resampler: Resampler?
    if rate != outputRate {
      do throws(SignalProcessingError) {
        resampler = try Resampler(from: rate, to: outputRate, quality: .medium)
      } catch {
        throw .unsupportedSampleRate(hertz: rate.hertz, decoder.format.codec)
      }
    }
    format = decoder.format
    decoderRate = rate.hertz
    self.outputRate = outputRate.hertz
    ticksPerSample = Int64(clockRate / rate.hertz)
    made = SampleBuffer(repeating: 0, count: rate == outputRate ? 0 : longest * rate.hertz / outputRate.hertz + 1)
    self.decoder = decoder
    self.resampler = resampler
  }

  /// How long `payload` plays, in ticks of the buffer's clock; `nil` when it is malformed or empty.
  @_noLocks
  func duration(of payload: borrowing ByteView) -> Int64? {
    guard let count = decoder.sampleCount(of: payload) else { return nil }
    return Int64(count) &* ticksPerSample
  }

  @_noLocks
  func hasRedundancy(_ payload: borrowing ByteView) -> Bool { decoder.hasRedundancy(payload) }

  /// Conceals into the whole of `span`.
  /// - Returns: the samples written, possibly fewer or none.
  @_noLocks
  mutating func conceal(into span: inout MutableSpan<Float>) -> Int {
    guard resampler != nil else { return decoder.conceal(into: &span) }
    let wanted = min(made.count, (span.count &* decoderRate &+ outputRate &- 1) / outputRate)
    let count = Self.conceal(wanted, by: &decoder, into: &made)
    return Self.resample(made, count, by: &resampler, into: &span)
  }

  /// Decodes `payload`.
  /// - Returns: the samples written; `nil` when the codec cannot read it.
  @_noLocks
  mutating func decode(_ payload: borrowing ByteView, into span: inout MutableSpan<Float>) -> Int? {
    do throws(CodecError) {
      guard resampler != nil else { return try decoder.decode(payload, into: &span) }
      let count = try Self.decode(payload, by: &decoder, into: &made)
      return Self.resample(made, count, by: &resampler, into: &span)
    } catch {
      return nil
    }
  }

  /// Decodes the copy, carried by `payload`, of the sound before it.
  /// - Parameter span: as long as that sound.
  /// - Returns: the samples written; `nil` when there is no copy.
  @_noLocks
  mutating func decodeRedundancy(_ payload: borrowing ByteView, into span: inout MutableSpan<Float>) -> Int? {
    do throws(CodecError) {
      guard resampler != nil else { return try decoder.decodeRedundancy(payload, into: &span) }
      let wanted = min(made.count, span.count &* decoderRate / outputRate)
      let count = try Self.decodeRedundancy(payload, wanted, by: &decoder, into: &made)
      return Self.resample(made, count, by: &resampler, into: &span)
    } catch {
      return nil
    }
  }

  /// Forgets the signal so far.
  @_noLocks
  mutating func reset() {
    decoder.reset()
    resampler?.reset()
  }

  // Static, since a span of one property would hold on to all of self.

  @_noLocks
  private static func conceal(_ count: Int, by decoder: inout AudioDecoder, into made: inout SampleBuffer) -> Int {
    var span = made.mutableSpan(0..<count)
    return decoder.conceal(into: &span)
  }

  @_noLocks
  private static func decode(
    _ payload: borrowing ByteView, by decoder: inout AudioDecoder, into made: inout SampleBuffer
  ) throws(CodecError) -> Int {
    var span = made.mutableSpan
    return try decoder.decode(payload, into: &span)
  }

  @_noLocks
  private static func decodeRedundancy(
    _ payload: borrowing ByteView, _ count: Int, by decoder: inout AudioDecoder, into made: inout SampleBuffer
  ) throws(CodecError) -> Int {
    var span = made.mutableSpan(0..<count)
    return try decoder.decodeRedundancy(payload, into: &span)
  }

  @_noLocks
  private static func resample(
    _ made: borrowing SampleBuffer, _ count: Int, by resampler: inout Resampler?, into span: inout MutableSpan<Float>
  ) -> Int {
    resampler!.process(made.view(0..<count), into: &span).produced
  }
}
