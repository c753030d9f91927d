internal import Foundation
internal import RealtimeCore

/// Interarrival jitter of RFC 3550 §6.4.1 and A.8, in floating point.
///
/// A jump of more than 10 s between two packets is left out: the sender's clock was set anew, or the capture has a gap.
/// Where nothing tells the clock rate it is guessed from the pace of the first packets, which are then counted too.
public struct ArrivalJitter: Sendable {
  /// Ticks of the media clock in a second; `nil` while it is neither known nor guessed.
  public private(set) var clockRate: Int?
  /// The running estimate, in milliseconds.
  public private(set) var milliseconds = 0.0
  /// The largest that the running estimate has been, in milliseconds.
  public private(set) var largestMilliseconds = 0.0
  /// The mean of the running estimate over all packets but the first, in milliseconds.
  public var meanMilliseconds: Double { updateCount > 0 ? sum / Double(updateCount) : 0 }

  private var sum = 0.0
  private var updateCount = 0

  private var unwrapper = TimestampUnwrapper()
  private var firstArrival: MediaInstant?
  private var lastTransit: Double?
  private var waiting: [(ticks: Int64, arrival: MediaInstant)] = []

  /// About a second of speech packets: enough that jitter does not mislead the guess.
  private static let guessPacketCount = 48
  /// No network keeps a packet for so long. A choice.
  private static let jumpMilliseconds = 10_000.0

  init(clockRate: Int?) { self.clockRate = clockRate }

  mutating func add(_ timestamp: RTPTimestamp, at arrival: MediaInstant) {
    let ticks = unwrapper.unwrap(timestamp)
    if let clockRate {
      update(ticks: ticks, arrival: arrival, clockRate: clockRate)
      return
    }
    waiting.append((ticks, arrival))
    guard waiting.count == Self.guessPacketCount else { return }
    guess()
  }

  /// Guesses with what there is, at the end of the capture.
  mutating func complete() {
    if clockRate == nil, waiting.count >= 4 { guess() }
  }

  private mutating func guess() {
    let seconds = Double(waiting[waiting.count - 1].arrival.nanoseconds(since: waiting[0].arrival)) * 1e-9
    let pace = Double(waiting[waiting.count - 1].ticks - waiting[0].ticks) / seconds
    if seconds > 0, pace > 0, pace.isFinite {
      let rates = [8_000, 11_025, 16_000, 24_000, 32_000, 44_100, 48_000, 90_000, 96_000]
      clockRate = rates.min { abs(log2(Double($0)) - log2(pace)) < abs(log2(Double($1)) - log2(pace)) }
    }
    if let clockRate {
      for (ticks, arrival) in waiting { update(ticks: ticks, arrival: arrival, clockRate: clockRate) }
    }
    waiting = []
  }

  private mutating func update(ticks: Int64, arrival: MediaInstant, clockRate: Int) {
    // Transit times are taken from the first arrival on, or doubles would round nanoseconds since 1970.
    let origin = firstArrival ?? arrival
    firstArrival = origin
    let transit = arrival.milliseconds(since: origin) - Double(ticks) * 1_000 / Double(clockRate)
    // Timestamps that jump by minutes against the arrivals tell of a new clock, not of the network.
    if let lastTransit, abs(transit - lastTransit) < Self.jumpMilliseconds {
      milliseconds += (abs(transit - lastTransit) - milliseconds) / 16
      largestMilliseconds = max(largestMilliseconds, milliseconds)
      sum += milliseconds
      updateCount += 1
    }
    lastTransit = transit
  }
}
