#if FFTW
  public import RealtimeCore

  /// FFTW 3 in single precision (Frigo & Johnson 2005). Lengths: even numbers from 2 to 65,536.
  ///
  /// Plans are made with `FFTW_ESTIMATE`. Trying FFTW's algorithms out (`FFTW_MEASURE`) took 120 to 960 ms a length on
  /// the machine of `SignalSpeedTests` against 1 to 7 ms, gained less than a tenth of the run time, and chose different
  /// algorithms from run to run, so that results differed in the last bit.
  /// - Threads: as `RealFFT`. `init` and `deinit` wait for each other across the process.
  /// - Memory: 8 bytes a sample beside FFTW's own tables.
  public struct FFTWRealFFT: RealFFT, ~Copyable, Sendable {
    /// Samples in, or out of, a transform.
    public let length: Int
    private let forwardPlan: FFTWPlan
    private let inversePlan: FFTWPlan
    // Plans expect an alignment that callers' buffers may lack, and the inverse overwrites its input.
    private var samples: SampleBuffer
    private var spectrum: SampleBuffer

    /// Plans for `length` samples: an even number from 2 to 65,536.
    public init(length: Int) throws(SignalProcessingError) {
      guard length >= 2, length <= 65_536, length.isMultiple(of: 2) else {
        throw .unsupportedTransformLength(length, lowest: 2, highest: 65_536)
      }
      var samples = SampleBuffer(repeating: 0, count: length)
      var spectrum = SampleBuffer(repeating: 0, count: length + 2)
      let forwardPlan = try FFTWPlan(.forward, length: length, samples: &samples, spectrum: &spectrum)
      let inversePlan = try FFTWPlan(.inverse, length: length, samples: &samples, spectrum: &spectrum)
      self.length = length
      self.forwardPlan = forwardPlan
      self.inversePlan = inversePlan
      self.samples = samples
      self.spectrum = spectrum
    }

    /// See `RealFFT`. Faster by a copy each where input and output start at a multiple of 32 bytes.
    @_noLocks
    public mutating func forward(_ input: borrowing SampleView, into output: inout MutableSpan<Float>) {
      if FFTWPlan.isAligned(input) && FFTWPlan.isAligned(&output) {
        forwardPlan.forward(input, into: &output)
        return
      }
      let outputCount = output.count
      precondition(input.count == length && outputCount == length &+ 2)
      samples.copy(input, to: 0)
      forwardPlan.forward(&samples, into: &spectrum)
      spectrum.view.copy(into: &output)
    }

    /// See `RealFFT`.
    @_noLocks
    public mutating func inverse(_ input: borrowing SampleView, into output: inout MutableSpan<Float>) {
      let outputCount = output.count
      precondition(input.count == length &+ 2 && outputCount == length)
      spectrum.copy(input, to: 0)
      spectrum[1] = 0
      spectrum[length &+ 1] = 0
      if FFTWPlan.isAligned(&output) {
        inversePlan.inverse(&spectrum, into: &output)
      } else {
        inversePlan.inverse(&spectrum, into: &samples)
        samples.view.copy(into: &output)
      }
      Kernel.scale(&output, by: 1 / Float(length))
    }
  }
#endif
