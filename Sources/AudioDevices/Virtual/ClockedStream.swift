internal import Foundation
public import RealtimeCore
internal import Synchronization

/// Where a device without hardware takes its sound from, and where it puts it.
public struct VirtualSound {
  /// Fills the block for the client's `capture`; returns `false` when the sound has ended, and silence follows.
  public var microphone: (inout MutableSpan<Float>) -> Bool
  /// Takes what the client's `render` made.
  public var loudspeaker: (Span<Float>) -> Void

  /// Silence where no microphone is given; what is played goes nowhere where no loudspeaker is.
  public init(
    microphone: @escaping (inout MutableSpan<Float>) -> Bool = { _ in false },
    loudspeaker: @escaping (Span<Float>) -> Void = { _ in }
  ) {
    self.microphone = microphone
    self.loudspeaker = loudspeaker
  }

  /// Silence in, nothing out.
  public static var null: VirtualSound { VirtualSound() }
}

/// A device without hardware, in the time of the system's clock: files as microphone and loudspeaker, or nothing at all,
/// for machines that have no sound.
///
/// Blocks of equal length change hands at even times. After a pause of the machine it does not catch up: the blocks that
/// were missed are counted, as a sound card would count them.
public final class ClockedStream: @unchecked Sendable {
  private let thread: Thread
  private let shared: Shared

  /// What the thread and its owner both see.
  private final class Shared: @unchecked Sendable {
    let isStopped = Atomic<Bool>(false)
    let blockCount = Atomic<Int>(0)
    let missedCount = Atomic<Int>(0)
    let ended = DispatchSemaphore(value: 0)
  }

  /// Starts at once. `sound`'s closures run on the device's own thread.
  /// - Parameter blockMilliseconds: 1 to 100.
  public init(
    _ client: DeviceClient, _ sound: sending VirtualSound, sampleRate: SampleRate = .hz48000,
    blockMilliseconds: Int = 10
  ) throws(AudioDeviceError) {
    guard (1...100).contains(blockMilliseconds) else {
      throw .invalidSetting("blocks of \(blockMilliseconds) ms are outside 1 to 100 ms")
    }
    let shared = Shared()
    let count = sampleRate.sampleCount(milliseconds: blockMilliseconds)
    nonisolated(unsafe) let sound = sound
    let thread = Thread {
      unsafe Self.run(client, sound, sampleRate: sampleRate, count: count, shared)
      shared.ended.signal()
    }
    thread.name = "antiphon-clock"
    self.thread = thread
    self.shared = shared
    thread.start()
  }

  deinit { stop() }

  /// Ends the sound. When it returns, neither client nor closures are called any more.
  public func stop() {
    guard !shared.isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    shared.ended.wait()
  }

  /// What happened so far.
  public var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.device = "clock"
    statistics.sampleCount = shared.blockCount.load(ordering: .relaxed)
    statistics.xrunCount = shared.missedCount.load(ordering: .relaxed)
    return statistics
  }

  private static func run(
    _ client: DeviceClient, _ sound: VirtualSound, sampleRate: SampleRate, count: Int, _ shared: Shared
  ) {
    _ = ThreadPriority.makeRealtime()
    var microphone = SampleBuffer(repeating: 0, count: count)
    var loudspeaker = SampleBuffer(repeating: 0, count: count)
    let period = sampleRate.nanoseconds(sampleCount: count)
    var due = monotonicNanoseconds()
    while !shared.isStopped.load(ordering: .acquiring) {
      let moment = DeviceMoment(now: MediaInstant(nanoseconds: due), latencyNanoseconds: 0)
      fill(&microphone, from: sound)
      client.capture(microphone.view, at: moment)
      render(client, into: &loudspeaker, at: moment)
      sound.loudspeaker(loudspeaker.span)
      shared.blockCount.wrappingAdd(count, ordering: .relaxed)
      due += period
      let late = monotonicNanoseconds() - due
      if late > period {
        let missed = late / period
        shared.missedCount.wrappingAdd(Int(missed), ordering: .relaxed)
        due += missed * period
      }
      sleep(until: due)
    }
  }

  static func fill(_ block: inout SampleBuffer, from sound: VirtualSound) {
    var samples = block.mutableSpan
    if !sound.microphone(&samples) {
      for index in 0..<samples.count { samples[index] = 0 }
    }
  }

  static func render(_ client: DeviceClient, into block: inout SampleBuffer, at moment: DeviceMoment) {
    block.fill(0..<block.count, with: 0)
    var samples = block.mutableSpan
    client.render(into: &samples, at: moment)
  }

  static func sleep(until nanoseconds: Int64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while unsafe clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
  }
}
