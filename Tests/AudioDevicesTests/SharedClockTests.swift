import AudioDevices
import Foundation
import RealtimeCore
import Synchronization
import Testing

struct SharedClockTests {
  private final class Counter: DeviceClient, @unchecked Sendable {
    let captured = Atomic<Int>(0)
    let rendered = Atomic<Int>(0)
    /// Signalled when a tenth of a second was rendered.
    let isHeard = DispatchSemaphore(value: 0)

    override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
      captured.wrappingAdd(samples.count, ordering: .relaxed)
    }

    override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
      let before = rendered.wrappingAdd(samples.count, ordering: .relaxed).oldValue
      if before < 1_600, before + samples.count >= 1_600 { isHeard.signal() }
    }
  }

  @Test func allAreCalledAndWhoHasLeftIsNot() {
    let clock = SharedClock(sampleRate: .hz16000, blockMilliseconds: 10)
    let clients = (0..<20).map { _ in Counter() }
    let memberships = clients.map { clock.add($0) }
    for client in clients { #expect(client.isHeard.wait(timeout: .now() + 5) == .success) }
    memberships[0].leave()
    let count = clients[0].rendered.load(ordering: .relaxed)
    let last = Counter()
    let lastMembership = clock.add(last)
    #expect(last.isHeard.wait(timeout: .now() + 5) == .success)
    #expect(clients[0].rendered.load(ordering: .relaxed) == count)
    for client in clients {
      #expect(client.captured.load(ordering: .relaxed) >= client.rendered.load(ordering: .relaxed))
    }
    for membership in memberships { membership.leave() }
    lastMembership.leave()
    #expect(clock.statistics.tickCount >= 20)
  }
}
