internal import RealtimeCore

/// The background's power per bin in each band: the least of the smoothed power over the last 1.6 to 1.8 s.
/// - Source: minimum statistics, Martin, "Noise power spectral density estimation based on optimal smoothing and minimum
///   statistics", IEEE Trans. SAP 9 (2001). Differs: fixed smoothing over 45 ms and a fixed bias of 1.3.
struct NoiseFloorTracker: ~Copyable {
  private var smooth: SampleBuffer
  private var current: SampleBuffer
  private var past: SampleBuffer
  private let bandCount: Int
  private var frames = 0
  private var oldest = 0

  init(bandCount: Int) {
    self.bandCount = bandCount
    smooth = SampleBuffer(repeating: 1e-3, count: bandCount)
    current = SampleBuffer(repeating: 1e9, count: bandCount)
    past = SampleBuffer(repeating: 1e9, count: 8 * bandCount)
  }

  /// Takes a frame's power per band and writes the floor per bin.
  @_noLocks
  mutating func track(
    _ power: borrowing SampleBuffer, _ edges: borrowing FixedBuffer<Int>, into noise: inout SampleBuffer
  ) {
    for band in 0..<bandCount {
      smooth[band] = 0.8 * smooth[band] + 0.2 * power[band]
      current[band] = min(current[band], smooth[band])
      var least = current[band]
      for piece in 0..<8 { least = min(least, past[piece &* bandCount &+ band]) }
      noise[band] = max(1.3 * least / Float(edges[band &+ 1] &- edges[band]), 1e-8)
    }
    frames &+= 1
    guard frames == 20 else { return }
    frames = 0
    past.copy(current, to: oldest &* bandCount)
    current.fill(0..<bandCount, with: 1e9)
    oldest = (oldest &+ 1) & 7
  }
}
