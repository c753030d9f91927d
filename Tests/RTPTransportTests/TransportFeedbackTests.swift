import RTPTransport
import RealtimeCore
import TestSupport
import Testing

@Suite struct TransportFeedbackTests {
  /// What one packet of feedback says, read by the draft's words and nothing of the writer's.
  private struct Report {
    var base: UInt16
    var arrivals: [Int?]  // in units of 250 µs, since the reference's zero
    var feedbackCount: UInt8

    init(_ bytes: [UInt8]) {
      func short(_ offset: Int) -> Int { Int(bytes[offset]) << 8 | Int(bytes[offset + 1]) }
      base = UInt16(short(12))
      let count = short(14)
      var time = (Int(bytes[16]) << 16 | short(17)) * 256
      feedbackCount = bytes[19]
      var statuses: [Int] = []
      var offset = 20
      while statuses.count < count {
        let chunk = short(offset)
        offset += 2
        if chunk >> 15 == 0 {
          statuses += [Int](repeating: chunk >> 13 & 3, count: chunk & 0x1FFF)
        } else if chunk >> 14 & 1 == 0 {
          statuses += (0..<14).map { chunk >> (13 - $0) & 1 }
        } else {
          statuses += (0..<7).map { chunk >> (12 - 2 * $0) & 3 }
        }
      }
      arrivals = []
      for status in statuses[..<count] {
        if status == 1 {
          time += Int(bytes[offset])
          offset += 1
        } else if status == 2 {
          time += Int(Int16(truncatingIfNeeded: short(offset)))
          offset += 2
        }
        arrivals.append(status == 0 ? nil : time)
      }
    }
  }

  private func reports(_ feedback: inout TransportFeedback, room: Int = 1_200) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    while feedback.isPending {
      var bytes = [UInt8](repeating: 0xEE, count: room)
      var span = bytes.mutableSpan
      var writer = RTCPWriter()
      try feedback.write(from: 1, about: 2, with: &writer, into: &span)
      if writer.byteCount > 0 { found.append(Array(bytes[..<writer.byteCount])) }
    }
    return found
  }

  @Test(arguments: 0..<20)
  func everyArrivalIsReportedOnce(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var feedback = TransportFeedback()
    var number = UInt16.random(in: 0...UInt16.max, using: &random)
    var time = Int64.random(in: -1_000_000_000...100_000_000_000, using: &random)
    let loss = Double.random(in: 0...0.6, using: &random)
    let room = Int.random(in: 60...1_200, using: &random)
    var sent: [UInt16: Int64] = [:]
    var told: [UInt16: Int] = [:]
    var dissected: [[UInt8]] = []
    var reportCount = 0
    for _ in 0..<40 {
      for _ in 0..<Int.random(in: 1...60, using: &random) {
        time += Int64.random(in: 0...30_000_000, using: &random)
        if Int.random(in: 0..<40, using: &random) == 0 { time += 3_000_000_000 }
        if Double.random(in: 0...1, using: &random) >= loss || sent.isEmpty {
          feedback.record(SequenceNumber(number), at: MediaInstant(nanoseconds: time))
          if Int.random(in: 0..<20, using: &random) == 0 {
            feedback.record(SequenceNumber(number), at: MediaInstant(nanoseconds: time + 9))
          }
          sent[number] = time
        }
        number &+= 1
      }
      for bytes in try reports(&feedback, room: room) {
        #expect(bytes.count <= room)
        let report = Report(bytes)
        #expect(report.feedbackCount == UInt8(truncatingIfNeeded: reportCount))
        reportCount += 1
        for (index, arrival) in report.arrivals.enumerated() {
          guard let arrival else { continue }
          let name = report.base &+ UInt16(index)
          #expect(told[name] == nil, "\(name) was told twice, seed \(seed)")
          told[name] = arrival
        }
        dissected.append(bytes)
      }
    }
    #expect(told.count == sent.count)
    for (name, arrival) in told {
      let real = try #require(sent[name])
      // 24 bits of 64 ms wrap.
      let error = (arrival * 250_000 - Int(real)) % (64_000_000 << 24)
      let wrapped = min(abs(error), (64_000_000 << 24) - abs(error))
      #expect(wrapped <= 125_000, "\(name): \(error) ns, seed \(seed)")
    }
    let rows = try Wireshark.fields(
      ["rtcp.rtpfb.fmt", "rtcp.rtpfb.transportcc.baseseq", "rtcp.rtpfb.transportcc_bad", "_ws.malformed"],
      of: dissected, as: "rtcp")
    for (row, bytes) in zip(rows, dissected) {
      #expect(row["rtcp.rtpfb.fmt"] == ["15"] && row["rtcp.rtpfb.transportcc.baseseq"] == ["\(Report(bytes).base)"])
      #expect(row["rtcp.rtpfb.transportcc_bad"] == [] && row["_ws.malformed"] == [], "seed \(seed)")
    }
  }

  @Test func aLatePacketIsReportedAgainWithThoseBehind() throws {
    var feedback = TransportFeedback()
    for number in [10, 11, 13] as [UInt16] {
      feedback.record(SequenceNumber(number), at: MediaInstant(milliseconds: 1))
    }
    let first = Report(try #require(reports(&feedback).first))
    #expect(first.base == 10 && first.arrivals == [4, 4, nil, 4])
    feedback.record(SequenceNumber(12), at: MediaInstant(milliseconds: 2))
    let second = Report(try #require(reports(&feedback).first))
    #expect(second.base == 12 && second.arrivals == [8, 4])
    feedback.record(SequenceNumber(11), at: MediaInstant(milliseconds: 3))  // a duplicate
    let isPending = feedback.isPending
    #expect(!isPending)
  }

  @Test func jumpsBeyondTheWindowAreSurvived() throws {
    var feedback = TransportFeedback()
    var random = SeededRandom(seed: 3)
    for step in 0..<3_000 {
      let number = SequenceNumber(UInt16.random(in: 0...UInt16.max, using: &random))
      feedback.record(number, at: MediaInstant(milliseconds: Double(step)))
      if step % 50 == 0 { for bytes in try reports(&feedback) { _ = Report(bytes) } }
    }
  }
}
