public import RealtimeCore

/// Turns the payloads of one RTP stream into PCM, whatever the codec, and fills in for those that are missing.
///
/// Payloads come from the network: whatever their bytes, the outcome is samples or an error.
/// - Threads: one at a time; after `init` nothing allocates or waits.
public struct AudioDecoder: ~Copyable, Sendable {
  /// What the payloads are.
  public let format: CodecFormat
  /// The rate of the output, which may differ from the wanted one: resample when it does.
  public let sampleRate: SampleRate
  private var opus: OpusDecoder?
  private var g722: G722Decoder?
  private var concealment: PitchConcealment?

  /// Makes the decoder of `format`.
  /// - Parameter wanted: a wish. Opus gives the next higher of 8, 12, 16, 24 and 48 kHz, G.722 16 kHz, the others their clock
  ///   rate.
  public init(_ format: CodecFormat, sampleRate wanted: SampleRate) throws(CodecError) {
    let bandDecoder = format.codec == .g722 ? try G722Decoder() : nil
    let rate: SampleRate
    if format.codec == .opus {
      rate = OpusDecoder.sampleRate(atLeast: wanted)
    } else if format.codec == .g722 {
      rate = .hz16000
    } else if let own = try? SampleRate(hertz: format.clockRate) {
      rate = own
    } else {
      throw .unsupportedSampleRate(hertz: format.clockRate, format.codec)
    }
    let opus = try Self.opusDecoder(format, rate)
    self.format = format
    sampleRate = rate
    self.opus = opus
    g722 = consume bandDecoder
    concealment = format.codec == .opus ? nil : PitchConcealment(sampleRate: rate)
  }

  private static func opusDecoder(_ format: CodecFormat, _ rate: SampleRate) throws(CodecError) -> OpusDecoder? {
    guard format.codec == .opus else { return nil }
    do throws(OpusError) {
      return try OpusDecoder(sampleRate: rate)
    } catch {
      throw .opus(error)
    }
  }

  /// Samples that `payload` decodes to; `nil` when it is malformed or empty.
  @_noLocks
  public func sampleCount(of payload: borrowing ByteView) -> Int? {
    if payload.count == 0 { return nil }
    switch format.codec {
    case .opus: return OpusPacketHeader(payload)?.sampleCount(at: sampleRate)
    case .pcmu, .pcma: return payload.count
    case .l16: return payload.count & 1 == 0 ? payload.count / 2 : nil
    case .l24: return payload.count % 3 == 0 ? payload.count / 3 : nil
    case .g722: return payload.count &* 2
    }
  }

  /// Decodes one payload.
  /// - Parameter frame: receives the audio; needs `sampleCount(of:)` places.
  /// - Returns: the samples written. After `conceal` their beginning is cross-faded with the concealment.
  /// - Throws: `malformedPayload` or `outputTooSmall`; the state is then as before.
  @_noLocks
  public mutating func decode(
    _ payload: borrowing ByteView, into frame: inout MutableSpan<Float>
  ) throws(CodecError) -> Int {
    guard let needed = sampleCount(of: payload) else { throw .malformedPayload(byteCount: payload.count) }
    let room = frame.count
    guard needed <= room else { throw .outputTooSmall(room: room, needed: needed) }
    switch format.codec {
    case .opus:
      do throws(OpusError) {
        return try opus!.decode(payload, into: &frame)
      } catch {
        throw .opus(error)
      }
    case .pcmu: _ = G711.decode(payload, into: &frame, .mu)
    case .pcma: _ = G711.decode(payload, into: &frame, .a)
    case .l16: _ = L16.decode(payload, into: &frame)
    case .l24: _ = L24.decode(payload, into: &frame)
    case .g722: _ = g722!.decode(payload, into: &frame)
    }
    var written = frame.part(0..<needed)
    concealment?.receive(&written)
    return needed
  }

  /// Fills in for lost audio, and fades out when that goes on.
  /// - Parameter frame: is filled; Opus does so up to the last whole 2.5 ms only.
  /// - Returns: the samples written.
  @_noLocks
  public mutating func conceal(into frame: inout MutableSpan<Float>) -> Int {
    if format.codec.isOpus { return opus!.conceal(into: &frame) }
    concealment?.conceal(into: &frame)
    return frame.count
  }

  /// Whether `payload` carries a copy of the audio just before it.
  @_noLocks
  public func hasRedundancy(_ payload: borrowing ByteView) -> Bool {
    guard format.codec.isOpus, let header = OpusPacketHeader(payload) else { return false }
    return header.hasRedundancy
  }

  /// Decodes the copy, carried by the payload `next`, of the audio just before it; decode `next` itself afterwards.
  /// - Parameter frame: as long as the gap; see `OpusDecoder.decodeRedundancy`.
  /// - Returns: the samples written.
  /// - Throws: `noRedundancy` when there is no copy; then conceal.
  @_noLocks
  public mutating func decodeRedundancy(
    _ next: borrowing ByteView, into frame: inout MutableSpan<Float>
  ) throws(CodecError) -> Int {
    guard hasRedundancy(next) else { throw .noRedundancy }
    do throws(OpusError) {
      return try opus!.decodeRedundancy(next, into: &frame)
    } catch {
      throw .opus(error)
    }
  }

  /// Forgets the signal so far, as for a new talker.
  @_noLocks
  public mutating func reset() {
    opus?.reset()
    g722?.reset()
    concealment?.reset()
  }
}

// For embedders, whose memory comes as spans.
extension AudioDecoder {
  /// Samples that `payload` decodes to; see `sampleCount(of:)` for views.
  @_noLocks
  public func sampleCount(of payload: Span<UInt8>) -> Int? { sampleCount(of: ByteView(payload)) }

  /// Decodes one payload; see `decode(_:into:)` for views.
  @_noLocks
  public mutating func decode(_ payload: Span<UInt8>, into frame: inout MutableSpan<Float>) throws(CodecError) -> Int {
    try decode(ByteView(payload), into: &frame)
  }

  /// Whether `payload` carries a copy of the audio just before it.
  @_noLocks
  public func hasRedundancy(_ payload: Span<UInt8>) -> Bool { hasRedundancy(ByteView(payload)) }

  /// Decodes the copy of the audio before `next`; see `decodeRedundancy(_:into:)` for views.
  @_noLocks
  public mutating func decodeRedundancy(
    _ next: Span<UInt8>, into frame: inout MutableSpan<Float>
  ) throws(CodecError) -> Int {
    try decodeRedundancy(ByteView(next), into: &frame)
  }
}
