internal import CKernels
public import RealtimeCore

// RFC 3389 §3, the payload of a comfort noise packet:
//
//   0 1 2 3 4 5 6 7   8 ...
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-- - -
//  |0|   level     |  k1   |  k2   | ...      level: -dBov; k: 258 (N - 127) / 32768
//  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-- - -

/// Makes the background noise that a sender describes in its pauses instead of sending it: level and spectrum.
///
/// White noise goes through an all-pole lattice with the reflection coefficients of the payload; its power is chosen such
/// that the result has the level of the payload. Level and spectrum change over about 50 ms.
/// - Threads: one at a time. Latency added: 0 samples.
public struct ComfortNoise: Sendable, BitwiseCopyable {
  /// Higher coefficients are left out, as RFC 3389 allows: the ear hears no detail in noise at these levels.
  public static var maximumOrder: Int { @_noLocks get { 12 } }

  private var wanted = InlineArray<12, Float>(repeating: 0)
  private var coefficients = InlineArray<12, Float>(repeating: 0)
  private var state = InlineArray<12, Float>(repeating: 0)
  private var wantedGain: Float = 0
  private var gain: Float = 0
  private var random: UInt32 = 0x2545_F491
  private let smoothing: Float
  /// Whether a payload has said what to make.
  public private(set) var isDescribed = false

  /// Noise at `sampleRate`.
  public init(sampleRate: SampleRate) { smoothing = 1 / (0.05 * Float(sampleRate.hertz)) }

  /// Takes a payload; one without a byte changes nothing.
  @_noLocks
  public mutating func describe(_ payload: borrowing ByteView) {
    guard payload.count > 0 else { return }
    // Power of the excitation over power of the result: the product of 1 - k².
    var power = antiphon_powf(10, Float(payload[0] & 0x7F) * -0.1)
    for index in 0..<12 {
      var k: Float = 0
      // 255 would be a coefficient above 1, which no stable filter has.
      if index &+ 1 < payload.count { k = Float(258 &* (Int(min(payload[index &+ 1], 254)) &- 127)) * (1 / 32_768) }
      k = max(-0.99, min(0.99, k))
      wanted[index] = k
      power *= 1 - k * k
    }
    // 0 dBov is the power of a full-scale square wave.
    wantedGain = antiphon_sqrtf(power)
    if !isDescribed {
      isDescribed = true
      coefficients = wanted
      for index in 0..<12 { state[index] = 0 }
      gain = wantedGain
    }
  }

  /// Forgets the description: what follows is speech.
  @_noLocks
  public mutating func end() { isDescribed = false }

  /// Fills `frame` with noise; with silence before the first description.
  @_noLocks
  public mutating func generate(into frame: inout MutableSpan<Float>) {
    for index in frame.indices {
      gain += (wantedGain - gain) * smoothing
      var forward = nextWhite() * gain
      var order = 11
      while order >= 0 {
        coefficients[order] += (wanted[order] - coefficients[order]) * smoothing
        forward -= coefficients[order] * state[order]
        if order < 11 { state[order &+ 1] = state[order] + coefficients[order] * forward }
        order &-= 1
      }
      state[0] = forward
      frame[index] = max(-1, min(1, forward))
    }
  }

  /// Uniform noise of power 1 (xorshift, Marsaglia 2003).
  @_noLocks
  private mutating func nextWhite() -> Float {
    random ^= random << 13
    random ^= random >> 17
    random ^= random << 5
    return Float(Int32(bitPattern: random)) * (1.7320508 / 2_147_483_648)
  }
}
