internal import CKernels
internal import RealtimeCore

/// Level and energy of a signal as webrtc-stats defines them (RTCAudioSourceStats): the newest block's RMS, and the sum
/// of level² times duration.
struct LevelSum: BitwiseCopyable {
  /// RMS of the newest block, 0...1.
  private(set) var level = 0.0
  /// In seconds.
  private(set) var totalEnergy = 0.0
  /// In seconds.
  private(set) var totalDuration = 0.0

  @_noLocks
  mutating func add(_ block: borrowing SampleView, sampleRate: SampleRate) {
    guard block.count > 0 else { return }
    let meanSquare = unsafe Double(antiphon_energy(block.pointer, block.count)) / Double(block.count)
    let seconds = Double(block.count) / Double(sampleRate.hertz)
    level = antiphon_sqrt(meanSquare)
    totalEnergy += meanSquare * seconds
    totalDuration += seconds
  }
}
