#if FFTW
  internal import CFFTW
  internal import RealtimeCore
  internal import Synchronization

  /// FFTW's planner keeps its tables in globals: whoever makes or destroys a plan holds this. Executing needs no lock.
  private let planner = Mutex(())

  /// One plan of FFTW, between buffers of `length` real samples and of `length + 2` floats of spectrum.
  ///
  /// - Threads: execution on one at a time; `init` and `deinit` wait for each other across the process.
  @safe  // the plan is made in init, executed only with buffers of its length, destroyed once in deinit
  struct FFTWPlan: ~Copyable, @unchecked Sendable {
    enum Direction { case forward, inverse }

    let length: Int
    private let plan: fftwf_plan

    /// Plans for buffers that lie as these two do; see `FFTWRealFFT` for how hard FFTW tries.
    init(
      _ direction: Direction, length: Int, samples: inout SampleBuffer, spectrum: inout SampleBuffer
    ) throws(SignalProcessingError) {
      precondition(samples.count == length && spectrum.count == length + 2)
      let real = unsafe samples.mutablePointer
      let complex = unsafe Self.complex(spectrum.mutablePointer)
      let address = planner.withLock { _ -> UInt in
        let plan =
          switch direction {
          case .forward: unsafe fftwf_plan_dft_r2c_1d(Int32(length), real, complex, FFTW_ESTIMATE)
          case .inverse: unsafe fftwf_plan_dft_c2r_1d(Int32(length), complex, real, FFTW_ESTIMATE)
          }
        return UInt(bitPattern: plan)
      }
      guard let plan = unsafe OpaquePointer(bitPattern: address) else { throw .outOfMemory }
      self.length = length
      unsafe self.plan = plan
    }

    deinit {
      let address = unsafe UInt(bitPattern: plan)
      planner.withLock { _ in unsafe fftwf_destroy_plan(OpaquePointer(bitPattern: address)) }
    }

    /// Forward plans only. `samples` must be aligned, see `isAligned`, and is not changed.
    @_noLocks
    func forward(_ samples: borrowing SampleView, into spectrum: inout MutableSpan<Float>) {
      let outputCount = spectrum.count
      precondition(samples.count == length && outputCount == length &+ 2)
      let input = unsafe UnsafeMutablePointer(mutating: samples.pointer)
      unsafe fftwf_execute_dft_r2c(plan, input, Self.complex(spectrum.mutablePointer))
    }

    /// The same between buffers.
    @_noLocks
    func forward(_ samples: inout SampleBuffer, into spectrum: inout SampleBuffer) {
      precondition(samples.count == length && spectrum.count == length &+ 2)
      unsafe fftwf_execute_dft_r2c(plan, samples.mutablePointer, Self.complex(spectrum.mutablePointer))
    }

    /// Inverse plans only. `spectrum` must be aligned and is used as scratch.
    @_noLocks
    func inverse(_ spectrum: inout SampleBuffer, into samples: inout MutableSpan<Float>) {
      let outputCount = samples.count
      precondition(spectrum.count == length &+ 2 && outputCount == length)
      unsafe fftwf_execute_dft_c2r(plan, Self.complex(spectrum.mutablePointer), samples.mutablePointer)
    }

    /// The same between buffers.
    @_noLocks
    func inverse(_ spectrum: inout SampleBuffer, into samples: inout SampleBuffer) {
      precondition(spectrum.count == length &+ 2 && samples.count == length)
      unsafe fftwf_execute_dft_c2r(plan, Self.complex(spectrum.mutablePointer), samples.mutablePointer)
    }

    /// Whether a plan may read from, or write to, these samples in place.
    @_noLocks
    static func isAligned(_ samples: borrowing SampleView) -> Bool {
      unsafe Int(bitPattern: samples.pointer) & alignmentMask == 0
    }

    /// Whether a plan may write to these samples in place.
    @_noLocks
    static func isAligned(_ samples: inout MutableSpan<Float>) -> Bool {
      unsafe Int(bitPattern: samples.mutablePointer) & alignmentMask == 0
    }

    /// Plans are made in buffers that start on a cache line; FFTW asks for 16 bytes (kernel/align.c), this for 32.
    @inline(__always)
    private static var alignmentMask: Int { @_noLocks get { 31 } }

    @unsafe
    @_noLocks
    private static func complex(_ floats: UnsafeMutablePointer<Float>) -> UnsafeMutablePointer<fftwf_complex> {
      unsafe UnsafeMutableRawPointer(floats).assumingMemoryBound(to: fftwf_complex.self)
    }
  }
#endif
