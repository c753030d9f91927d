import AudioDevices
import Foundation
import RealtimeCore
import Synchronization
import TestSupport
import Testing

struct ClockedStreamTests {
  /// Hears what it is given, and plays a ramp.
  private final class Counter: DeviceClient, @unchecked Sendable {
    let captured = Atomic<Int>(0)
    let rendered = Atomic<Int>(0)
    var firstSamples: [Float] = []
    var moments: [Int64] = []

    override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
      if firstSamples.count < 20 { firstSamples.append(samples[0]) }
      if moments.count < 20 { moments.append(moment.now.nanoseconds) }
      captured.wrappingAdd(samples.count, ordering: .relaxed)
    }

    override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
      for index in 0..<samples.count { samples[index] = 0.5 }
      rendered.wrappingAdd(samples.count, ordering: .relaxed)
    }
  }

  @Test func blocksChangeHandsAtEvenTimes() throws {
    let client = Counter()
    let heard = DispatchSemaphore(value: 0)
    var count = 0
    var block: Float = 0
    let sound = VirtualSound(
      microphone: { samples in
        block += 1
        for index in 0..<samples.count { samples[index] = block }
        return block <= 3
      },
      loudspeaker: { samples in
        if samples[0] == 0.5 { count += 1 }
        if count == 10 { heard.signal() }
      })
    nonisolated(unsafe) let moved = sound
    let stream = try ClockedStream(client, unsafe moved, sampleRate: .hz16000, blockMilliseconds: 5)
    #expect(heard.wait(timeout: .now() + 10) == .success)
    stream.stop()
    #expect(client.firstSamples.prefix(5) == [1, 2, 3, 0, 0], "silence follows the end of a file")
    #expect(client.captured.load(ordering: .relaxed) % 80 == 0)
    // The machine may pause; then whole blocks are missing, never parts of one.
    for (first, second) in zip(client.moments, client.moments.dropFirst()) {
      #expect((second - first) % 5_000_000 == 0 && second > first)
    }
    let after = client.rendered.load(ordering: .relaxed)
    #expect(stream.statistics.sampleCount == after)
    stream.stop()
    #expect(client.rendered.load(ordering: .relaxed) == after)
  }

  @Test func theEndsOfRingsNeedNoMemory() {
    let captured = SampleRing(minimumCapacity: 4_800)
    let toPlay = SampleRing(minimumCapacity: 4_800)
    let capturedWriter = captured.writer
    var capturedReader = captured.reader
    var toPlayWriter = toPlay.writer
    let toPlayReader = toPlay.reader
    let client = RingClient(captured: capturedWriter, toPlay: toPlayReader)
    var block = SampleBuffer(repeating: 0.25, count: 480)
    let moment = DeviceMoment(now: .zero, latencyNanoseconds: 0)
    // The first round is for what the runtime makes once.
    for round in 0..<2 {
      let operations = heapOperations {
        for _ in 0..<10 {
          client.capture(block.view, at: moment)
          _ = toPlayWriter.write(block.view)
          var samples = block.mutableSpan
          client.render(into: &samples, at: moment)
        }
      }
      #expect(round == 0 || operations ?? 0 == 0)
    }
    #expect(capturedReader.availableCount == 8_192, "what does not fit is lost, and nothing waits")
  }

  @Test func absurdBlocksAreRefused() {
    for length in [0, -1, 101] {
      #expect(throws: AudioDeviceError.self) { _ = try ClockedStream(DeviceClient(), .null, blockMilliseconds: length) }
    }
  }
}
