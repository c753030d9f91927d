/// Turns floats in -1...1 into whole numbers of a given width: to the nearest, held at the ends, and counted there.
///
/// -1 is the lowest number; +1 would be one above the highest and is held there, which counts as clipped only beyond
/// half a step. Dither, when wanted, is triangular of two steps' width (Vanderkooy & Lipshitz 1984), from a generator
/// with a fixed seed, so that the same input gives the same file.
struct SampleQuantizer {
  /// Samples so far that did not fit and were held at full scale; not-a-number counts too and becomes 0.
  private(set) var clippedCount = 0

  private let scale: Float
  private let lowest: Float
  private let highest: Float
  let dithers: Bool
  private var state: UInt64 = 0x853C_49E6_748F_EA9B

  init(bits: Int, dithers: Bool) {
    scale = Float(1 << (bits - 1))
    lowest = -scale
    highest = scale - 1
    self.dithers = dithers
  }

  mutating func quantize(_ sample: Float) -> Int32 {
    var scaled = sample * scale
    if dithers { scaled += uniform() - uniform() }
    let rounded = scaled.rounded(.toNearestOrEven)
    if rounded >= lowest, rounded <= highest { return Int32(rounded) }
    // Exactly +1 is full scale by convention and no fault of the signal.
    if sample != 1 { clippedCount += 1 }
    if sample.isNaN { return 0 }
    return Int32(rounded < 0 ? lowest : highest)
  }

  /// 0..<1, from a xorshift generator (Marsaglia 2003).
  private mutating func uniform() -> Float {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Float(state >> 40) * 0x1p-24
  }
}
