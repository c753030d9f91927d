#if FFTW
  internal import CFFTW
  internal import RealtimeCore
  internal import Synchronization

  /// FFTW's planner keeps its tables in globals: whoever makes or destroys a plan holds this. Executing needs no lock.
  private let planner = Mutex(())

  /// One plan of FFTW, between buffers of `length` real samples and of `length + 2` floats of spectrum.
  ///
  /// Buffers given to the execute calls must be aligned as those given to `init`; all `SampleBuffer`s are.
  /// - Threads: execution on one at a time; `init` and `deinit` wait for each other across the process.
  @safe  // the plan is made in init, executed only with buffers of its length, destroyed once in deinit
  struct FFTWPlan: ~Copyable, @unchecked Sendable {
    enum Direction { case forward, inverse }

    let length: Int
    private let plan: fftwf_plan

    /// Plans by trying FFTW's algorithms in the two buffers, which are overwritten.
    init(
      _ direction: Direction, length: Int, samples: inout SampleBuffer, spectrum: inout SampleBuffer
    ) throws(SignalProcessingError) {
      precondition(samples.count == length && spectrum.count == length + 2)
      let real = unsafe samples.mutablePointer
      let complex = unsafe Self.complex(spectrum.mutablePointer)
      let address = planner.withLock { _ -> UInt in
        let plan =
          switch direction {
          case .forward: unsafe fftwf_plan_dft_r2c_1d(Int32(length), real, complex, FFTW_MEASURE)
          case .inverse: unsafe fftwf_plan_dft_c2r_1d(Int32(length), complex, real, FFTW_MEASURE)
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

    /// Forward plans only: reads `samples`, writes `spectrum`.
    @_noLocks
    func execute(samples: inout SampleBuffer, spectrum: inout SampleBuffer) {
      precondition(samples.count == length && spectrum.count == length &+ 2)
      unsafe fftwf_execute_dft_r2c(plan, samples.mutablePointer, Self.complex(spectrum.mutablePointer))
    }

    /// Inverse plans only: reads `spectrum` and uses it as scratch, writes `samples`.
    @_noLocks
    func execute(spectrum: inout SampleBuffer, samples: inout SampleBuffer) {
      precondition(samples.count == length && spectrum.count == length &+ 2)
      unsafe fftwf_execute_dft_c2r(plan, Self.complex(spectrum.mutablePointer), samples.mutablePointer)
    }

    @unsafe
    @_noLocks
    private static func complex(_ floats: UnsafeMutablePointer<Float>) -> UnsafeMutablePointer<fftwf_complex> {
      unsafe UnsafeMutableRawPointer(floats).assumingMemoryBound(to: fftwf_complex.self)
    }
  }
#endif
