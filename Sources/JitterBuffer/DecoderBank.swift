import AudioCodecs
import RealtimeCore

/// The decoders of all payload types that a sender may use, made at set-up; one of them is active.
///
/// The others keep no signal: one that becomes active begins anew.
struct DecoderBank: ~Copyable, Sendable {
  /// More than any negotiation offers.
  static var capacity: Int { @_noLocks get { 8 } }

  /// The rate that all of them give.
  let sampleRate: SampleRate
  /// Ticks per second that all their clocks, and the output, divide.
  let clockRate: Int
  /// The most samples of one packet.
  let longestSampleCount: Int
  let count: Int
  /// The one that has decoded last.
  private(set) var active = 0
  private var decoders: InlineArray<8, FormatDecoder?>
  private var payloadTypes = InlineArray<8, UInt8>(repeating: 255)
  private var codecs = InlineArray<8, Codec>(repeating: .opus)

  /// - Parameter formats: 1 to 8, each with a payload type of its own. The first is active.
  /// - Parameter wanted: a wish for Opus; the output has the highest rate of the decoders.
  init(_ formats: [CodecFormat], sampleRate wanted: SampleRate, maximumPayloadSize: Int) throws(CodecError) {
    precondition(
      (1...Self.capacity).contains(formats.count),
      "JitterBuffer: \(formats.count) formats; give 1 to \(Self.capacity)")
    precondition(
      Set(formats.map(\.payloadType)).count == formats.count,
      "JitterBuffer: formats share a payload type: \(formats.map(\.payloadType))")
    var rate: SampleRate?
    var clock = 1
    var ratio = 1
    for format in formats {
      let own = try AudioDecoder(format, sampleRate: wanted).sampleRate
      rate = max(rate ?? own, own)
      clock = try Self.common(try Self.common(clock, format.clockRate, format.codec), own.hertz, format.codec)
    }
    let output = rate ?? wanted
    for format in formats where format.codec != .opus {
      let own = try AudioDecoder(format, sampleRate: wanted).sampleRate
      // A PCM payload has at most a sample per byte, G.722 two.
      ratio = max(ratio, (output.hertz * format.samplesPerTick + own.hertz - 1) / own.hertz)
    }
    let isOpusOnly = formats.allSatisfy { $0.codec == .opus }
    // 120 ms is the longest Opus packet (RFC 6716 §3.2.5).
    let longest = max(output.hertz * 12 / 100, isOpusOnly ? 0 : maximumPayloadSize * ratio)
    var made = InlineArray<8, FormatDecoder?> { _ in nil }
    for (index, format) in formats.enumerated() {
      let decoder = try AudioDecoder(format, sampleRate: wanted)
      made[index] = try FormatDecoder(decoder, outputRate: output, clockRate: clock, longest: longest)
      payloadTypes[index] = format.payloadType
      codecs[index] = format.codec
    }
    sampleRate = output
    clockRate = clock
    longestSampleCount = longest
    count = formats.count
    decoders = made
  }

  /// The least common multiple of two rates; 4 GHz at most, so that no second of ticks comes near the end of an integer.
  private static func common(_ a: Int, _ b: Int, _ codec: Codec) throws(CodecError) -> Int {
    var (x, y) = (a, b)
    while y != 0 { (x, y) = (y, x % y) }
    let product = (a / x).multipliedReportingOverflow(by: b)
    guard !product.overflow, product.partialValue <= 4_000_000_000 else {
      throw .unsupportedSampleRate(hertz: b, codec)
    }
    return product.partialValue
  }

  /// The place of the decoder for `payloadType`; `nil` when there is none.
  @_noLocks
  func index(of payloadType: UInt8) -> Int? {
    for index in 0..<count where payloadTypes[index] == payloadType { return index }
    return nil
  }

  /// Whether packets of decoder `index` tell of pauses by having no speech.
  @_noLocks
  func announcesPauses(_ index: Int) -> Bool {
    if case .opus = codecs[index] { true } else { false }
  }

  /// How long `payload` plays by decoder `index`, in ticks; `nil` when it is malformed or too long.
  @_noLocks
  func duration(of payload: borrowing ByteView, _ index: Int) -> Int64? {
    guard let ticks = decoders[index]?.duration(of: payload) else { return nil }
    return ticks > 0 && ticks <= Int64(longestSampleCount) &* Int64(clockRate / sampleRate.hertz) ? ticks : nil
  }

  /// Whether `payload` carries a copy of the sound before it.
  @_noLocks
  func hasRedundancy(_ payload: borrowing ByteView, _ index: Int) -> Bool {
    decoders[index]?.hasRedundancy(payload) ?? false
  }

  /// Conceals `count` samples into the front of `buffer`, by the active decoder.
  /// - Returns: the samples written, possibly fewer or none.
  @_noLocks
  mutating func conceal(into buffer: inout SampleBuffer, count: Int) -> Int {
    var span = buffer.mutableSpan(0..<count)
    return decoders[active]!.conceal(into: &span)
  }

  /// Decodes the packet at `position` of `store` into the front of `buffer`; its decoder becomes the active one.
  /// - Returns: the samples written; `nil` when the codec cannot read it.
  @_noLocks
  mutating func decode(_ store: borrowing PacketStore, _ position: Int, into buffer: inout SampleBuffer) -> Int? {
    let format = Int(store[position].format)
    if format != active {
      active = format
      decoders[format]!.reset()
    }
    var span = buffer.mutableSpan
    return decoders[format]!.decode(store.payload(position), into: &span)
  }

  /// Decodes the copy of the audio before the packet at `position` of `store` into the front of `buffer`.
  /// - Parameter count: samples of that packet, which is of the active format.
  /// - Returns: the samples written; `nil` when there is no copy.
  @_noLocks
  mutating func decodeRedundancy(
    _ store: borrowing PacketStore, _ position: Int, into buffer: inout SampleBuffer, count: Int
  ) -> Int? {
    var span = buffer.mutableSpan(0..<count)
    return decoders[active]!.decodeRedundancy(store.payload(position), into: &span)
  }

  /// Forgets the signal so far.
  @_noLocks
  mutating func reset() { decoders[active]!.reset() }
}
