import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

@testable import EchoControl

/// Frames of two samples, both holding the frame's number, make the queue's order visible.
@Suite struct FarEndQueueTests {
  private func append(_ number: Int, to queue: inout FarEndQueue) {
    let frame = SampleBuffer(repeating: Float(number) / 32_768, count: 2)
    _ = queue.append(frame.view)
  }

  private func next(_ queue: inout FarEndQueue) -> Int {
    var frame = Int16Samples(count: 2)
    queue.next(into: &frame)
    return Int(frame[1])
  }

  @Test func burstsComeOutInOrder() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 0, longestDelay: 100)
    var (given, taken) = (0, 0)
    for burst in [1, 3, 7, 10, 2, 10, 5] {
      for _ in 0..<burst { given += 1; append(given, to: &queue) }
      for _ in 0..<burst { taken += 1; #expect(next(&queue) == taken) }
    }
    #expect(queue.overrunCount == 0 && queue.underrunCount == 0)
  }

  @Test func aDelayReadsTheEarlierFrame() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 6, longestDelay: 100)
    for number in 1...200 {
      append(number, to: &queue)
      #expect(next(&queue) == max(0, number - 3))
    }
    queue.setDelay(100)
    append(201, to: &queue)
    #expect(next(&queue) == 151)
  }

  @Test func whatCameTooLatePairsWithLaterCaptures() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 0, longestDelay: 0)
    #expect(next(&queue) == 0)
    #expect(queue.underrunCount == 0)  // nothing has been rendered yet
    append(1, to: &queue)
    #expect(next(&queue) == 1)
    #expect(next(&queue) == 0)
    #expect(next(&queue) == 0)
    #expect(queue.underrunCount == 2)
    append(2, to: &queue)
    append(3, to: &queue)
    #expect(next(&queue) == 2)
    #expect(next(&queue) == 3)
  }

  @Test func moreThanFitsPushesOutTheOldest() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 0, longestDelay: 10)
    for number in 1...13 { append(number, to: &queue) }
    #expect(queue.overrunCount == 3)
    #expect(next(&queue) == 4)
  }

  /// Lost captures leave a surplus that would make echoes come before their cause; after a second it is gone.
  @Test func aLastingSurplusIsDropped() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 0, longestDelay: 10)
    var given = 0
    for _ in 0..<150 { given += 1; append(given, to: &queue); _ = next(&queue) }
    for _ in 0..<3 { given += 1; append(given, to: &queue) }
    #expect(queue.depth == 3)
    for _ in 0..<250 { given += 1; append(given, to: &queue); _ = next(&queue) }
    #expect(queue.depth == 0)
    #expect(queue.overrunCount == 3)
  }

  /// A lead that was there from the start is the driver's own rhythm and stays.
  @Test func aLeadFromTheStartIsKept() {
    var queue = FarEndQueue(frameSampleCount: 2, delay: 0, longestDelay: 10)
    for number in 1...4 { append(number, to: &queue) }
    for number in 5...500 { append(number, to: &queue); #expect(next(&queue) == number - 4) }
    #expect(queue.overrunCount == 0 && queue.underrunCount == 0)
  }
}
