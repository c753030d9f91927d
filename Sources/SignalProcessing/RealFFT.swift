public import RealtimeCore

/// A fast Fourier transform of real samples, forward and inverse, of one length.
///
/// - Spectrum: bins 0...n/2, interleaved: real part of bin 0, imaginary part of bin 0, real part of bin 1, ...; so
///   `spectrumCount` = n + 2 floats. Bin k stands for k · sampleRate / n hertz. The imaginary parts of bin 0 and of
///   bin n/2 are 0 after `forward` and are not looked at by `inverse`.
/// - Scale: `forward` is the plain sum Σ x[i]·exp(-2πi·ik/n): a sine of amplitude A that lies on a bin reads A·n/2.
///   `inverse` divides by n, so it undoes `forward`.
/// - Threads: `init` and `deinit` off the audio thread; the transforms on any one thread at a time, without allocation.
public protocol RealFFT: ~Copyable {
  /// Makes tables and scratch for `length` samples.
  init(length: Int) throws(SignalProcessingError)

  /// n: samples in, or out of, a transform.
  var length: Int { get }

  /// Transforms `length` samples into `spectrumCount` floats; traps at any other size.
  @_noLocks
  mutating func forward(_ samples: borrowing SampleView, into spectrum: inout MutableSpan<Float>)

  /// Transforms `spectrumCount` floats into `length` samples; traps at any other size.
  @_noLocks
  mutating func inverse(_ spectrum: borrowing SampleView, into samples: inout MutableSpan<Float>)
}

extension RealFFT where Self: ~Copyable {
  /// Floats in a spectrum: two for each of the n/2 + 1 bins.
  @inlinable public var spectrumCount: Int { length + 2 }

  /// Bins in a spectrum.
  @inlinable public var binCount: Int { length / 2 + 1 }

  /// As `forward` for views.
  @inlinable
  public mutating func forward(_ samples: Span<Float>, into spectrum: inout MutableSpan<Float>) {
    forward(SampleView(samples), into: &spectrum)
  }

  /// As `inverse` for views.
  @inlinable
  public mutating func inverse(_ spectrum: Span<Float>, into samples: inout MutableSpan<Float>) {
    inverse(SampleView(spectrum), into: &samples)
  }
}

#if FFTW
  /// The transform that the stages of this library use: FFTW, or the built-in one without the `FFTW` trait.
  public typealias PreferredRealFFT = FFTWRealFFT
#else
  /// The transform that the stages of this library use: the built-in one, since the `FFTW` trait is off.
  public typealias PreferredRealFFT = SplitRadixRealFFT
#endif
