internal import RealtimeCore
internal import SignalProcessing

/// A resampler with a queue behind it: blocks of any size at one rate go in, frames of any size at another come out.
struct RateAdapter: ~Copyable {
  private var resampler: Resampler
  private var queue: SampleQueue
  private let blockSampleCount: Int

  init(from inputRate: SampleRate, to outputRate: SampleRate) throws(MediaEngineError) {
    do throws(SignalProcessingError) {
      resampler = try Resampler(from: inputRate, to: outputRate, quality: .medium)
    } catch {
      throw .signal(error)
    }
    latencyMilliseconds = Double(resampler.latencyNanoseconds) * 1e-6
    // 10 ms go in at once; 130 ms can wait, twice the longest packet with one block more.
    blockSampleCount = inputRate.sampleCount(milliseconds: 10)
    queue = SampleQueue(capacity: outputRate.sampleCount(milliseconds: 130))
  }

  /// Resamples up to 10 ms of `block`; returns how many samples it took. Takes none only when 120 ms wait already.
  @_noLocks
  mutating func append(_ block: borrowing SampleView) -> Int {
    let piece = block.extracting(0..<min(block.count, blockSampleCount))
    return Self.resample(piece, by: &resampler, into: &queue)
  }

  @_noLocks
  private static func resample(
    _ block: borrowing SampleView, by resampler: inout Resampler, into queue: inout SampleQueue
  ) -> Int {
    let room = min(queue.freeCount, resampler.maximumOutputSampleCount(forInput: block.count) &+ 1)
    var free = queue.freeSpan(room)
    let progress = resampler.process(block, into: &free)
    queue.commit(progress.produced)
    return progress.consumed
  }

  /// Samples that wait.
  var count: Int { @_noLocks get { queue.count } }

  /// The oldest `count` samples, which must be there.
  @_noLocks
  @_lifetime(borrow self)
  func front(_ count: Int) -> SampleView { queue.front(count) }

  /// The oldest `count` samples, which must be there, to be changed in place.
  @_noLocks
  @_lifetime(&self)
  mutating func mutableFront(_ count: Int) -> MutableSpan<Float> { queue.mutableFront(count) }

  @_noLocks
  mutating func removeFront(_ count: Int) { queue.removeFront(count) }

  /// Moves what waits to `target`, as much as fits; returns how many samples.
  @_noLocks
  mutating func move(into target: inout MutableSpan<Float>) -> Int { queue.move(into: &target) }

  var nonFiniteSamples: Int { @_noLocks get { resampler.repairedSampleCount } }

  let latencyMilliseconds: Double
}
