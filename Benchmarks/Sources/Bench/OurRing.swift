import Foundation
import RealtimeCore
import Rivals
import Synchronization

/// Our side of the ring benchmark: the same loops as the rivals' in C++, on `SampleRing`.
enum OurRing {
  private static let capacity = 4_096

  /// Samples per second from a producer on core `here` to a consumer on core `there`.
  static func throughput(_ here: Int, _ there: Int, block: Int, count: Int) -> Double {
    let ring = SampleRing(minimumCapacity: capacity)
    var writer = ring.writer
    let consumer = PinnedThread(core: there, reader: ring.reader) { reader in
      block == 1 ? consumeSingly(&reader, count: count) : consumeBlocks(&reader, block: block, count: count)
    }
    _ = bench_pin_to_core(Int32(here))
    consumer.start()
    let start = bench_now()
    if block == 1 { produceSingly(&writer, count: count) } else { produceBlocks(&writer, block: block, count: count) }
    precondition(consumer.join(), "SampleRing: samples came out in the wrong order")
    return Double(count) * 1e9 / Double(bench_now() - start)
  }

  /// Nanoseconds from sending one sample to having it back, mean over `turns`.
  static func roundTrip(_ here: Int, _ there: Int, turns: Int) -> Double {
    let outward = SampleRing(minimumCapacity: capacity)
    let inward = SampleRing(minimumCapacity: capacity)
    var writer = outward.writer
    var reader = inward.reader
    let answer = WriterBox(inward.writer)
    let far = PinnedThread(core: there, reader: outward.reader) { reader in
      var writer = answer.take()
      echo(&reader, &writer, turns: turns)
      return true
    }
    _ = bench_pin_to_core(Int32(here))
    far.start()
    let start = bench_now()
    ping(&writer, &reader, turns: turns)
    let took = bench_now() - start
    _ = far.join()
    return Double(took) / Double(turns)
  }

  /// The stream repeats 0, 1, … block - 1; the first sample of every read shows whether one was lost or doubled.
  @_noLocks
  private static func consumeBlocks(
    _ reader: inout SampleRing.Reader, block: Int, count: Int, into buffer: inout SampleBuffer
  ) -> Bool {
    var phase = 0
    var isInOrder = true
    var received = 0
    while received < count {
      var target = buffer.mutableSpan(0..<block)
      let got = reader.read(into: &target)
      if got == 0 { continue }
      isInOrder = isInOrder && buffer[0] == Float(phase)
      phase &+= got
      if phase >= block { phase &-= block }
      received &+= got
    }
    return isInOrder
  }

  private static func consumeBlocks(_ reader: inout SampleRing.Reader, block: Int, count: Int) -> Bool {
    var buffer = SampleBuffer(repeating: 0, count: block)
    return consumeBlocks(&reader, block: block, count: count, into: &buffer)
  }

  private static func produceBlocks(_ writer: inout SampleRing.Writer, block: Int, count: Int) {
    var buffer = SampleBuffer(repeating: 0, count: block)
    for index in 0..<block { buffer[index] = Float(index) }
    produceBlocks(&writer, from: buffer.view, count: count)
  }

  @_noLocks
  private static func produceBlocks(_ writer: inout SampleRing.Writer, from block: borrowing SampleView, count: Int) {
    var sent = 0
    while sent < count {
      var done = 0
      while done < block.count { done &+= writer.write(block.extracting(done..<block.count)) }
      sent &+= done
    }
  }

  /// The stream counts 0 to 65,535 over and over.
  @_noLocks
  private static func consumeSingly(_ reader: inout SampleRing.Reader, count: Int) -> Bool {
    var expected: Float = 0
    var isInOrder = true
    var received = 0
    while received < count {
      guard let sample = reader.pop() else { continue }
      isInOrder = isInOrder && sample == expected
      expected = expected >= 65_535 ? 0 : expected + 1
      received &+= 1
    }
    return isInOrder
  }

  @_noLocks
  private static func produceSingly(_ writer: inout SampleRing.Writer, count: Int) {
    var sample: Float = 0
    var sent = 0
    while sent < count {
      guard writer.push(sample) else { continue }
      sample = sample >= 65_535 ? 0 : sample + 1
      sent &+= 1
    }
  }

  @_noLocks
  private static func ping(_ writer: inout SampleRing.Writer, _ reader: inout SampleRing.Reader, turns: Int) {
    var turn = 0
    while turn < turns {
      while !writer.push(1) {}
      while reader.pop() == nil {}
      turn &+= 1
    }
  }

  @_noLocks
  private static func echo(_ reader: inout SampleRing.Reader, _ writer: inout SampleRing.Writer, turns: Int) {
    var turn = 0
    while turn < turns {
      if let sample = reader.pop() {
        while !writer.push(sample) {}
        turn &+= 1
      }
    }
  }
}

/// Carries a writer to the thread that will own it.
private final class WriterBox: @unchecked Sendable {
  private var writer: SampleRing.Writer?
  init(_ writer: consuming SampleRing.Writer) { self.writer = consume writer }
  func take() -> SampleRing.Writer { writer.take()! }
}

/// A thread on a core of its own that owns a reader, runs one function, and hands back whether all was well.
private final class PinnedThread: @unchecked Sendable {
  private let core: Int
  private var reader: SampleRing.Reader?
  private let work: @Sendable (inout SampleRing.Reader) -> Bool
  private let isReady = Atomic(false)
  private let isDone = DispatchSemaphore(value: 0)
  private var result = false

  init(
    core: Int, reader: consuming SampleRing.Reader, work: @escaping @Sendable (inout SampleRing.Reader) -> Bool
  ) {
    self.core = core
    self.reader = consume reader
    self.work = work
  }

  /// Returns once the thread is on its core.
  func start() {
    Thread { [self] in
      _ = bench_pin_to_core(Int32(core))
      var reader = reader.take()!
      isReady.store(true, ordering: .releasing)
      result = work(&reader)
      isDone.signal()
    }.start()
    while !isReady.load(ordering: .acquiring) {}
  }

  func join() -> Bool {
    isDone.wait()
    return result
  }
}
