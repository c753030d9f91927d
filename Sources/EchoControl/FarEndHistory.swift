internal import RealtimeCore
internal import SignalProcessing

/// The far end of the last 1.28 s as spectra, one a block: what every filter and the delay estimator read.
struct FarEndHistory: ~Copyable {
  /// Blocks that are kept: 640 ms of delay, and filters of up to 500 ms behind it.
  static var blockCount: Int { @_noLocks get { 256 } }

  private var samples: SampleBuffer
  private var spectra: SampleBuffer
  private var powers: SampleBuffer
  private var levels: SampleBuffer
  private var newest = 0
  private var fft: PreferredRealFFT

  init() throws(EchoError) {
    fft = try EchoTransform.make(length: EchoBlock.transformLength)
    samples = SampleBuffer(repeating: 0, count: EchoBlock.transformLength)
    spectra = SampleBuffer(repeating: 0, count: Self.blockCount * EchoBlock.spectrumStride)
    powers = SampleBuffer(repeating: 0, count: Self.blockCount * EchoBlock.powerStride)
    levels = SampleBuffer(repeating: 0, count: Self.blockCount)
  }

  /// Takes the next block.
  @_noLocks
  mutating func append(_ block: borrowing SampleView) {
    newest = (newest &+ 1) & (Self.blockCount &- 1)
    let (hop, length) = (EchoBlock.sampleCount, EchoBlock.transformLength)
    samples.move(hop..<length, to: 0)
    samples.copy(block, to: length &- hop)
    EchoTransform.forward(&fft, samples, into: &spectra, at: newest &* EchoBlock.spectrumStride)
    Self.notePower(spectra, &powers, newest)
    levels[newest] = Kernel.energy(block) / Float(hop)
  }

  @_noLocks
  private static func notePower(_ spectra: borrowing SampleBuffer, _ powers: inout SampleBuffer, _ place: Int) {
    let start = place &* EchoBlock.spectrumStride
    let target = place &* EchoBlock.powerStride
    var power = powers.mutableSpan(target..<target &+ EchoBlock.powerStride)
    Kernel.power(of: spectra.view(start..<start &+ EchoBlock.spectrumStride), into: &power)
  }

  /// The spectrum of the transform's length up to that block, unscaled.
  @_noLocks
  @_lifetime(borrow self)
  func spectrum(blocksAgo: Int) -> SampleView {
    let start = place(blocksAgo) &* EchoBlock.spectrumStride
    return spectra.view(start..<start &+ EchoBlock.spectrumStride)
  }

  /// Its squared magnitudes.
  @_noLocks
  @_lifetime(borrow self)
  func power(blocksAgo: Int) -> SampleView {
    let start = place(blocksAgo) &* EchoBlock.powerStride
    return powers.view(start..<start &+ EchoBlock.powerStride)
  }

  /// The loudest of `count` blocks, as mean power; full scale = 1.
  @_noLocks
  func loudest(from first: Int, count: Int) -> Float {
    var loudest: Float = 0
    for block in first..<first &+ count { loudest = max(loudest, levels[place(block)]) }
    return loudest
  }

  /// The mean power of `count` blocks.
  @_noLocks
  func meanPower(from first: Int, count: Int) -> Float {
    var sum: Float = 0
    for block in first..<first &+ count { sum += levels[place(block)] }
    return sum / Float(count)
  }

  @_noLocks
  mutating func reset() {
    samples.fill(0..<samples.count, with: 0)
    spectra.fill(0..<spectra.count, with: 0)
    powers.fill(0..<powers.count, with: 0)
    levels.fill(0..<levels.count, with: 0)
  }

  @_noLocks
  private func place(_ blocksAgo: Int) -> Int { (newest &- blocksAgo) & (Self.blockCount &- 1) }
}
