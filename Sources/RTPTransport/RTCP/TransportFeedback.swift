public import RealtimeCore

// draft-holmer-rmcat-transport-wide-cc-extensions-01 §3.1. Behind the head of feedback (format 15):
//
//  |      base sequence number     |      packet status count      |
//  |      reference time, 24 bits of 64 ms         | packet number |
//  |          status chunk         |         status chunk          |  …
//  |  receive deltas, 1 or 2 bytes of 250 µs for each packet that came …
//
//  chunk 0 SS LLLLLLLLLLLLL      the same status L times          status 0: not received, 1: delta of one byte,
//        1 0 SSSSSSSSSSSSSS      14 statuses of one bit                  2: delta of two bytes, signed
//        1 1 SSSSSSSSSSSSSS      7 statuses of two bits

/// Remembers when packets with a transport-wide number arrived, and writes what their sender's congestion control asks for.
///
/// Each packet is reported once; one that comes late, after it was reported missing, is reported again with those behind.
/// - Threads: any one at a time. Set-up allocates, nothing else does.
public struct TransportFeedback: ~Copyable, Sendable {
  /// Packets that a report can reach back over: half a minute of 20 ms.
  private static var window: Int { @_noLocks get { 2_048 } }
  private static var never: Int64 { @_noLocks get { .min } }

  /// By unwrapped number: when the packet came, in nanoseconds.
  private var arrivals = FixedBuffer<Int64>(repeating: .min, count: window)
  /// For one report: statuses, and deltas in units of 250 µs.
  private var statuses = FixedBuffer<UInt8>(repeating: 0, count: window)
  private var deltas = FixedBuffer<Int16>(repeating: 0, count: window)
  private var first: Int64 = 0  // the first number not reported yet
  private var end: Int64 = 0  // one behind the highest number
  private var hasStarted = false
  private var feedbackCount: UInt8 = 0

  /// Nothing has arrived yet.
  public init() {}

  /// Whether there is something to report.
  public var isPending: Bool { @_noLocks get { first < end } }

  /// Takes note of a packet with the number that its header extension carries.
  @_noLocks
  public mutating func record(_ number: SequenceNumber, at arrival: MediaInstant) {
    let window = Int64(Self.window)
    guard hasStarted else {
      hasStarted = true
      first = Int64(number.rawValue)
      end = first &+ 1
      arrivals[slot(first)] = arrival.nanoseconds
      return
    }
    let newest = SequenceNumber(UInt16(truncatingIfNeeded: end &- 1))
    let unwrapped = end &- 1 &+ Int64(newest.distance(to: number))
    if unwrapped >= end {
      // More than the window lost at once: what lies before is given up.
      let clearFrom = Swift.max(end, unwrapped &- window &+ 1)
      var lost = clearFrom
      while lost <= unwrapped {
        arrivals[slot(lost)] = Self.never
        lost &+= 1
      }
      end = unwrapped &+ 1
      first = Swift.max(first, end &- window)
    } else if unwrapped <= end &- 1 &- window || arrivals[slot(unwrapped)] != Self.never {
      return  // too old, or here before
    } else if unwrapped < first {
      first = unwrapped
    }
    arrivals[slot(unwrapped)] = arrival.nanoseconds
  }

  /// Adds one packet of feedback on what arrived since the last, as much as fits; call again while `isPending`.
  /// - Parameters:
  ///   - ssrc: this end's source.
  ///   - media: the source of the packets; any of them when there are several.
  /// - Throws: `noRoom` when less than 40 bytes are left in the datagram.
  @_noLocks
  public mutating func write(
    from ssrc: UInt32, about media: UInt32, with writer: inout RTCPWriter, into datagram: inout MutableSpan<UInt8>
  ) throws(RTCPError) {
    let room = datagram.count &- writer.byteCount
    guard room >= 40 else { throw .noRoom(needed: writer.byteCount &+ 40, available: writer.byteCount &+ room) }
    guard let oldest = skipUnknown() else { return }
    // At worst a packet takes two bytes of delta and a seventh of a chunk's two.
    let most = Swift.min(Int64(Self.window), Int64((room &- 26) &* 7 / 16))
    let reference = oldest.nanoseconds / 64_000_000 &- (oldest.nanoseconds % 64_000_000 < 0 ? 1 : 0)
    let (count, deltaByteCount) = collect(atMost: most, reference: reference)
    let chunkCount = writeChunks(count, at: writer.byteCount &+ 20, into: &datagram)

    let bodyByteCount = 16 &+ 2 &* chunkCount &+ deltaByteCount
    let start = writer.byteCount
    try writer.begin(type: 205, count: 15, wordCount: (bodyByteCount &+ 3) / 4, in: &datagram)
    datagram.storeBigEndian(ssrc, at: start &+ 4)
    datagram.storeBigEndian(media, at: start &+ 8)
    datagram.storeBigEndian(UInt16(truncatingIfNeeded: first), at: start &+ 12)
    datagram.storeBigEndian(UInt16(truncatingIfNeeded: count), at: start &+ 14)
    let time = UInt32(truncatingIfNeeded: reference) << 8 | UInt32(feedbackCount)
    datagram.storeBigEndian(time, at: start &+ 16)
    var offset = start &+ 20 &+ 2 &* chunkCount
    for index in 0..<count {
      let delta = UInt16(bitPattern: deltas[index])
      if statuses[index] == 1 {
        datagram[offset] = UInt8(truncatingIfNeeded: delta)
        offset &+= 1
      } else if statuses[index] == 2 {
        datagram.storeBigEndian(delta, at: offset)
        offset &+= 2
      }
    }
    while offset < writer.byteCount {
      datagram[offset] = 0
      offset &+= 1
    }
    feedbackCount &+= 1
    first &+= Int64(count)
  }

  /// When the first packet to report on came. A window that has lost its start may hold none: then there is nothing.
  @_noLocks
  private mutating func skipUnknown() -> MediaInstant? {
    var number = first
    while number < end {
      let arrival = arrivals[slot(number)]
      if arrival != Self.never { return MediaInstant(nanoseconds: arrival) }
      number &+= 1
    }
    first = end
    return nil
  }

  /// Statuses and deltas from `first` on, until the bound, the end, or a step that two bytes cannot hold.
  @_noLocks
  private mutating func collect(atMost most: Int64, reference: Int64) -> (count: Int, deltaByteCount: Int) {
    var time = reference &* 64_000_000
    var count = 0
    var deltaByteCount = 0
    while Int64(count) < most, first &+ Int64(count) < end {
      let arrival = arrivals[slot(first &+ Int64(count))]
      if arrival == Self.never {
        statuses[count] = 0
      } else {
        let step = arrival &- time
        let delta = (step &+ (step < 0 ? -125_000 : 125_000)) / 250_000
        if delta >= 0 && delta <= 255 {
          statuses[count] = 1
          deltaByteCount &+= 1
        } else if delta >= -32_768 && delta <= 32_767 {
          statuses[count] = 2
          deltaByteCount &+= 2
        } else {
          break
        }
        deltas[count] = Int16(truncatingIfNeeded: delta)
        time &+= delta &* 250_000  // what the reader will have, so that rounding does not add up
      }
      count &+= 1
    }
    return (count, deltaByteCount)
  }

  @_noLocks
  private func writeChunks(_ count: Int, at start: Int, into datagram: inout MutableSpan<UInt8>) -> Int {
    var index = 0
    var chunkCount = 0
    while index < count {
      let status = statuses[index]
      var run = 1
      while index &+ run < count, run < 8_191, statuses[index &+ run] == status { run &+= 1 }
      var chunk: UInt16
      if run >= 14 || index &+ run == count {
        chunk = UInt16(status) << 13 | UInt16(truncatingIfNeeded: run)
        index &+= run
      } else {
        var hasLarge = false
        var next = index
        while next < count, next < index &+ 14 {
          if statuses[next] == 2 { hasLarge = true }
          next &+= 1
        }
        let size = hasLarge ? 7 : 14
        chunk = hasLarge ? 0xC000 : 0x8000
        for place in 0..<size where index &+ place < count {
          let shift = UInt16(truncatingIfNeeded: hasLarge ? 12 &- 2 &* place : 13 &- place)
          chunk |= UInt16(statuses[index &+ place]) &<< shift
        }
        index = Swift.min(count, index &+ size)
      }
      datagram.storeBigEndian(chunk, at: start &+ 2 &* chunkCount)
      chunkCount &+= 1
    }
    return chunkCount
  }

  @_noLocks
  private func slot(_ number: Int64) -> Int { Int(number & Int64(Self.window &- 1)) }
}
