import RealtimeCore
import Rivals

/// How long each call took, in nanoseconds.
typealias CallTimes = FixedBuffer<Int64>

/// A loop that does one thing over and over, on input of its own.
protocol MeasuredLoop: ~Copyable {
  /// Makes one call for each element of `times` and notes there how long it took.
  mutating func run(_ times: inout CallTimes)
  /// Of all output so far; equal for contenders whose output is the same. `nil` where they cannot be compared.
  var checksum: UInt64? { get }
  /// Whether the calls are made in this process, where allocations can be counted.
  var runsHere: Bool { get }
}

extension MeasuredLoop where Self: ~Copyable {
  var runsHere: Bool { true }
}

/// One side of a contest.
protocol Contender: AnyObject {
  var name: String { get }
  var checksum: UInt64? { get }
  var runsHere: Bool { get }
  func run(_ times: inout CallTimes)
}

/// Gives a loop a name and a place to live.
final class Entrant<Loop: MeasuredLoop & ~Copyable>: Contender {
  let name: String
  private var loop: Loop

  init(_ name: String, _ loop: consuming Loop) {
    self.name = name
    self.loop = loop
  }

  var checksum: UInt64? { loop.checksum }
  var runsHere: Bool { loop.runsHere }
  func run(_ times: inout CallTimes) { loop.run(&times) }
}

/// Loops that do the same, taking turns in one process, so that a change of the machine's mood meets all of them.
struct Contest {
  let task: String
  /// How much audio one call stands for, in milliseconds.
  let millisecondsOfAudio: Double
  /// What the stage adds to the call's latency, in milliseconds, where that is part of the story.
  var algorithmicDelayMilliseconds: Double?
  /// How many calls lie between two readings of the clock; above 1 for calls that are not much longer than a reading.
  var callsPerReading = 1
  /// Ours first.
  let contenders: [any Contender]

  /// Runs `rounds` rounds of `audioPerRound` milliseconds each after one to warm up.
  func rows(_ group: BenchmarkGroup, rounds: Int, audioPerRound: Double) -> [Row] {
    let readings = max(10, Int(audioPerRound / millisecondsOfAudio) / callsPerReading)
    var results = contenders.map { Result(contender: $0, readings: readings, callsPerReading: callsPerReading) }
    for round in -1..<rounds {
      // Every second round runs backwards, so that none always follows the same neighbour.
      let order = round % 2 == 0 ? Array(results.indices) : results.indices.reversed()
      for place in order { results[place].runRound(isWarmUp: round < 0) }
    }
    let rivalsAgree = results.dropFirst().map { $0.contender.checksum == results[0].contender.checksum }
    return results.enumerated().map { place, result in
      let times = result.times.sorted()
      let isOurs = place == 0
      return Row(
        group: group.rawValue, task: task, contender: result.contender.name, unit: "µs",
        median: percentile(times, 0.5), p99: percentile(times, 0.99), p999: percentile(times, 0.999),
        worst: times[times.count - 1], lowestRound: result.medians.min(), highestRound: result.medians.max(),
        shareOfRealTime: percentile(times, 0.5) / (millisecondsOfAudio * 1e3),
        heapOperationsPerCall: result.contender.runsHere ? result.heapOperationsPerCall : nil,
        algorithmicDelayMilliseconds: isOurs ? algorithmicDelayMilliseconds : nil,
        oursOverThis: isOurs ? nil : Ratio(results[0].medians, over: result.medians),
        note: isOurs || results[0].contender.checksum == nil || result.contender.checksum == nil
          ? nil : rivalsAgree[place - 1] ? "same output" : "other output")
    }
  }

  /// What one contender did so far, in microseconds per call.
  private struct Result {
    let contender: any Contender
    let readings: Int
    let callsPerReading: Int
    private(set) var times: [Double] = []
    private(set) var medians: [Double] = []
    private var heapOperations = 0

    init(contender: any Contender, readings: Int, callsPerReading: Int) {
      self.contender = contender
      self.readings = readings
      self.callsPerReading = callsPerReading
    }

    mutating func runRound(isWarmUp: Bool) {
      var buffer = CallTimes(repeating: 0, count: readings)
      let before = bench_heap_operations()
      contender.run(&buffer)
      let after = bench_heap_operations()
      if isWarmUp { return }
      let scale = 1e-3 / Double(callsPerReading)
      let round = (0..<readings).map { Double(buffer[$0]) * scale }
      times += round
      medians.append(percentile(round.sorted(), 0.5))
      heapOperations += Int(after - before)
    }

    var heapOperationsPerCall: Double { Double(heapOperations) / Double(times.count * callsPerReading) }
  }
}
