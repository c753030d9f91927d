import CallSimulation
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// The simulated network keeps what its profile says.
@Suite struct SimulatedNetworkTests {
  /// One datagram each 20 ms, numbered; gives number and arrival in the order of arrival.
  private func run(_ model: SimulatedNetwork.Model, seed: UInt64, count: Int) -> (
    arrivals: [(number: Int, milliseconds: Double)], counts: SimulatedNetwork.Counts
  ) {
    var network = SimulatedNetwork(model, seed: seed)
    var arrivals: [(Int, Double)] = []
    for number in 0..<count {
      let now = MediaInstant(milliseconds: Double(20 * number))
      while let next = network.deliver(by: now) {
        arrivals.append((Self.number(next.datagram), next.arrival.milliseconds))
      }
      network.send((0..<4).map { UInt8(number >> (8 * $0) & 255) }, at: now)
    }
    while let instant = network.nextArrival, let next = network.deliver(by: instant) {
      arrivals.append((Self.number(next.datagram), next.arrival.milliseconds))
    }
    return (arrivals, network.counts)
  }

  private static func number(_ bytes: [UInt8]) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

  private static let profiles: [(name: String, profile: NetworkProfile)] = [
    ("clean", .clean), ("wifi", .wifi), ("lte", .lte), ("lossy", .lossy),
  ]

  @Test(arguments: profiles.indices)
  func theSameSeedIsTheSameNetwork(index: Int) {
    let model = SimulatedNetwork.Model.profile(Self.profiles[index].profile)
    let (first, again, other) = (
      run(model, seed: 4, count: 2_000), run(model, seed: 4, count: 2_000), run(model, seed: 5, count: 2_000)
    )
    #expect(first.arrivals.elementsEqual(again.arrivals, by: ==))
    #expect(first.counts == again.counts)
    #expect(!first.arrivals.elementsEqual(other.arrivals, by: ==))
  }

  @Test(arguments: profiles.indices)
  func arrivalsComeInOrderOfTimeAndNotBeforeTheBaseDelay(index: Int) {
    let profile = Self.profiles[index].profile
    let (arrivals, counts) = run(.profile(profile), seed: 1, count: 5_000)
    for (earlier, later) in zip(arrivals, arrivals.dropFirst()) { #expect(earlier.milliseconds <= later.milliseconds) }
    let delays = arrivals.map { $0.milliseconds - Double(20 * $0.number) }
    #expect(delays.min()! >= profile.baseDelayMilliseconds - 1e-6)
    #expect(arrivals.count == counts.sent - counts.lost + counts.duplicated)
    #expect(Set(arrivals.map(\.number)).count == counts.sent - counts.lost)
  }

  /// Share and burst length of losses by the model's formula: bursts begin with chance p after each packet that came,
  /// and last b on average, so p b / (1 + p b) of all are lost.
  @Test(arguments: [(0.01, 1.0), (0.05, 1.7), (0.02, 4.0)], [1, 2] as [UInt64])
  func lossesKeepRateAndBurstLength(_ loss: (chance: Double, length: Double), seed: UInt64) {
    var profile = NetworkProfile()
    profile.lossBurstProbability = loss.chance
    profile.meanLossBurstLength = loss.length
    let count = 100_000
    let (arrivals, counts) = run(.profile(profile), seed: seed, count: count)
    let expected = loss.chance * loss.length / (1 + loss.chance * loss.length)
    #expect(abs(Double(counts.lost) / Double(count) / expected - 1) < 0.1, "seed \(seed)")
    let numbers = arrivals.map(\.number)
    let burstCount = zip(numbers, numbers.dropFirst()).count { $1 - $0 > 1 }
    // Without a packet between them two bursts would be one, so the mean is that of the model.
    #expect(abs(Double(counts.lost) / Double(burstCount) / loss.length - 1) < 0.1, "seed \(seed)")
  }

  @Test func duplicatesAndDisorderKeepTheirRates() {
    var profile = NetworkProfile()
    profile.duplicateProbability = 0.1
    profile.reorderProbability = 0.2
    profile.reorderMilliseconds = 100
    let (arrivals, counts) = run(.profile(profile), seed: 8, count: 20_000)
    #expect(abs(Double(counts.duplicated) - 2_000) < 200)
    #expect(counts.lost == 0)
    // A packet is overtaken when its way round is longer than 20 ms: 80 of 100 ms, for 20 % of the packets.
    var seen = Set<Int>()
    let first = arrivals.filter { seen.insert($0.number).inserted }.map(\.number)
    var newest = -1
    var overtaken = 0
    for number in first {
      if number < newest { overtaken += 1 }
      newest = max(newest, number)
    }
    #expect(abs(Double(overtaken) - 3_200) < 400, "\(overtaken)")
  }

  /// What arrives during a stall arrives at its end, all at once.
  @Test func stallsHoldBackAndReleaseAtOnce() {
    var profile = NetworkProfile()
    profile.stallsPerSecond = 0.5
    profile.stallMilliseconds = 100...100
    let (arrivals, _) = run(.profile(profile), seed: 3, count: 5_000)
    let delays = arrivals.map { $0.milliseconds - Double(20 * $0.number) }
    let late = delays.count { $0 > 20 + 1e-6 }
    // 100 s with a stall of five packets every other second.
    #expect((150...350).contains(late), "\(late)")
    let gaps = zip(arrivals, arrivals.dropFirst()).map { $1.milliseconds - $0.milliseconds }
    #expect(gaps.count { $0 == 0 } > late / 2, "most of them arrive together")
  }

  @Test func aTraceIsFollowedRowByRowAndRepeats() {
    let (arrivals, counts) = run(.trace([[10], [], [50, 70], [5]]), seed: 1, count: 8)
    let expected: [(Int, Double)] = [
      (0, 10), (3, 65), (2, 90), (4, 90), (2, 110), (7, 145), (6, 170), (6, 190),
    ]
    #expect(arrivals.map(\.number) == expected.map(\.0))
    for (arrival, wanted) in zip(arrivals, expected) { #expect(abs(arrival.milliseconds - wanted.1) < 1e-6) }
    #expect(counts.sent == 8 && counts.lost == 2 && counts.duplicated == 2)
    #expect(run(.trace([]), seed: 1, count: 3).arrivals.map(\.number) == [0, 1, 2], "an empty trace delays nothing")
  }

  @Test func meanDelayIsThatOfWhatArrived() {
    let (_, counts) = run(.trace([[10], [30], []]), seed: 1, count: 3)
    #expect(counts.meanDelayMilliseconds == 20)
    #expect(SimulatedNetwork(.trace([]), seed: 1).counts.meanDelayMilliseconds == nil)
  }
}
