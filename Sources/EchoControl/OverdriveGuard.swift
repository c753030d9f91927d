internal import SignalProcessing

/// Keeps frames from the filter that are too loud for it: clipped hiss, as from a microphone driven far beyond full scale.
///
/// SpeexDSP takes a frame above 1e9 in mean square, after its pre-emphasis, for a fault of its own. It then forgets the
/// echo path and prints a warning, and printing waits on a file.
enum OverdriveGuard {
  /// Divides the frame by 2 if it is too loud, which puts any frame 0.1 dB below that bound.
  /// - Returns: whether it was.
  @_noLocks
  static func halveIfOverdriven(_ frame: inout Int16Samples) -> Bool {
    let count = frame.count
    var last: Float = 0
    var energy: Float = 0
    for index in 0..<count {
      let sample = Float(frame[index])
      let emphasized = sample - preEmphasis * last
      energy += emphasized * emphasized
      last = sample
    }
    // What came before the first sample is not known here, hence the margin.
    guard energy > 0.8e9 * Float(count) else { return false }
    for index in 0..<count { frame[index] = frame[index] / 2 }
    return true
  }

  /// As in `mdf.c`.
  private static var preEmphasis: Float { @_noLocks get { 0.9 } }
}
