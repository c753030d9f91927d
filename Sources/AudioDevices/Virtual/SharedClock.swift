internal import Foundation
public import RealtimeCore
internal import Synchronization

/// One thread that is the device of many calls, for servers: all get their blocks one after the other at each tick, so
/// that two hundred calls need one thread that wakes 50 times a second instead of two hundred.
///
/// A tick must be done before the next: as many calls as a core can serve. After a pause of the machine it does not catch
/// up; the ticks that were missed are counted.
/// - Threads: any may add and remove, but a client in mid-call: it would wait for itself. The clients are called on the
///   clock's own.
public final class SharedClock: Sendable {
  /// Rate of the samples in both directions.
  public let sampleRate: SampleRate
  private let shared: Shared

  /// What the thread and the owners see.
  private final class Shared: @unchecked Sendable {
    /// Held through each tick: whoever leaves knows that it will not be called any more.
    let members = Mutex<[Member]>([])
    let isStopped = Atomic<Bool>(false)
    let tickCount = Atomic<Int>(0)
    let missedCount = Atomic<Int>(0)
    let longestTick = Atomic<Int64>(0)
  }

  private final class Member: @unchecked Sendable {
    let client: DeviceClient
    let sound: VirtualSound
    init(_ client: DeviceClient, _ sound: sending VirtualSound) {
      self.client = client
      self.sound = sound
    }
  }

  /// What one client has of the clock.
  public final class Membership: Sendable {
    private let leaving: @Sendable () -> Void
    init(_ leaving: @escaping @Sendable () -> Void) { self.leaving = leaving }
    deinit { leaving() }
    /// When it returns, the client is not called any more.
    public func leave() { leaving() }
  }

  /// Starts the thread.
  /// - Parameter blockMilliseconds: 1 to 100; at best the length of the packets.
  public init(sampleRate: SampleRate = .hz48000, blockMilliseconds: Int = 20) {
    precondition(
      (1...100).contains(blockMilliseconds), "SharedClock: blocks of \(blockMilliseconds) ms are outside 1 to 100 ms")
    self.sampleRate = sampleRate
    let shared = Shared()
    self.shared = shared
    let count = sampleRate.sampleCount(milliseconds: blockMilliseconds)
    let thread = Thread { Self.run(shared, sampleRate: sampleRate, count: count) }
    thread.name = "antiphon-clock"
    thread.start()
  }

  deinit { shared.isStopped.store(true, ordering: .releasing) }

  /// Begins to call a client at each tick.
  public func add(_ client: DeviceClient, _ sound: sending VirtualSound = .null) -> Membership {
    let member = Member(client, sound)
    shared.members.withLock { $0.append(member) }
    return Membership { [shared] in shared.members.withLock { $0.removeAll { $0 === member } } }
  }

  /// Ticks so far, ticks that were missed, and the longest that one took, in ms.
  public var statistics: (tickCount: Int, missedCount: Int, longestMilliseconds: Double) {
    (
      shared.tickCount.load(ordering: .relaxed), shared.missedCount.load(ordering: .relaxed),
      Double(shared.longestTick.load(ordering: .relaxed)) * 1e-6
    )
  }

  private static func run(_ shared: Shared, sampleRate: SampleRate, count: Int) {
    _ = ThreadPriority.makeRealtime()
    var microphone = SampleBuffer(repeating: 0, count: count)
    var loudspeaker = SampleBuffer(repeating: 0, count: count)
    let period = sampleRate.nanoseconds(sampleCount: count)
    var due = monotonicNanoseconds()
    while !shared.isStopped.load(ordering: .acquiring) {
      let moment = DeviceMoment(now: MediaInstant(nanoseconds: due), latencyNanoseconds: 0)
      shared.members.withLock { members in
        for member in members { tick(member, &microphone, &loudspeaker, at: moment) }
      }
      let ended = monotonicNanoseconds()
      shared.longestTick.max(ended - due, ordering: .relaxed)
      shared.tickCount.wrappingAdd(1, ordering: .relaxed)
      due += period
      if ended - due > period {
        let missed = (ended - due) / period
        shared.missedCount.wrappingAdd(Int(missed), ordering: .relaxed)
        due += missed * period
      }
      ClockedStream.sleep(until: due)
    }
  }

  private static func tick(
    _ member: Member, _ microphone: inout SampleBuffer, _ loudspeaker: inout SampleBuffer, at moment: DeviceMoment
  ) {
    ClockedStream.fill(&microphone, from: member.sound)
    member.client.capture(microphone.view, at: moment)
    ClockedStream.render(member.client, into: &loudspeaker, at: moment)
    member.sound.loudspeaker(loudspeaker.span)
  }
}
