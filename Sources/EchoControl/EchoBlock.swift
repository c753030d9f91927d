internal import RealtimeCore
internal import SignalProcessing

/// Sizes inside our own canceller: it works at 16 kHz, in blocks of 5 ms, by overlap-save with transforms of 256.
///
/// A block of 80 and a partition of 160 leave 16 samples of a transform unused; in exchange the lengths are powers of two.
enum EchoBlock {
  /// Samples that come in at once.
  static var sampleCount: Int { @_noLocks get { 80 } }
  /// Blocks in a frame of 10 ms.
  static var perFrame: Int { @_noLocks get { 2 } }
  /// Samples in a frame of 10 ms.
  static var frameSampleCount: Int { @_noLocks get { 160 } }
  /// The length of the adaptive filters' transform.
  static var transformLength: Int { @_noLocks get { 256 } }
  /// Samples of the echo path that one partition models.
  static var partitionSampleCount: Int { @_noLocks get { 160 } }
  /// Blocks from one partition to the next.
  static var perPartition: Int { @_noLocks get { 2 } }
  /// Bins of a spectrum.
  static var binCount: Int { @_noLocks get { 129 } }
  /// Floats kept for one value a bin: whole vectors, so that the loops have no rest.
  static var powerStride: Int { @_noLocks get { 136 } }
  /// Floats kept for a complex value a bin.
  static var spectrumStride: Int { @_noLocks get { 272 } }
  /// New samples over the transform's length.
  static var share: Float { @_noLocks get { 80 / 256 } }
}

/// Transforms from one buffer into a place of another.
enum EchoTransform {
  /// The first `fft.length` samples of `samples`, into `spectrum` from `offset` on.
  @_noLocks
  static func forward(
    _ fft: inout PreferredRealFFT, _ samples: borrowing SampleBuffer, into spectrum: inout SampleBuffer,
    at offset: Int = 0
  ) {
    var target = spectrum.mutableSpan(offset..<offset &+ fft.length &+ 2)
    fft.forward(samples.view(0..<fft.length), into: &target)
  }

  /// The spectrum that starts at `offset`, into the first `fft.length` samples of `samples`.
  @_noLocks
  static func inverse(
    _ fft: inout PreferredRealFFT, _ spectrum: borrowing SampleBuffer, at offset: Int = 0,
    into samples: inout SampleBuffer
  ) {
    var target = samples.mutableSpan(0..<fft.length)
    fft.inverse(spectrum.view(offset..<offset &+ fft.length &+ 2), into: &target)
  }

  /// A transform of a length that both implementations have.
  static func make(length: Int) throws(EchoError) -> PreferredRealFFT {
    do throws(SignalProcessingError) {
      return try PreferredRealFFT(length: length)
    } catch {
      throw .outOfMemory
    }
  }
}
