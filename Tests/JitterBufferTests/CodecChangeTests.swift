import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport
import Testing

/// A sender that goes from one negotiated codec to another in mid-call, as after a re-INVITE or on a bad line.
@Suite struct CodecChangeTests {
  /// How a sender's timestamps may go on where the new codec has another clock (RFC 7160 §3).
  enum Continuation: CaseIterable {
    /// Counts on from the last timestamp, in the new clock's ticks.
    case countsOn
    /// Reads the new clock as if it had run since the call began, as RFC 7160 §4.1 wants.
    case clockRanFromTheStart
    /// Chooses any number.
    case beginsAnew
  }

  static let wide = CodecFormat.l16(.hz16000, payloadType: 96)

  /// A tone in parts of 60 packets of 20 ms, each in another codec.
  static func stream(_ formats: [CodecFormat], _ continuation: Continuation) throws -> [TestPacket] {
    var stream: [TestPacket] = []
    for (part, format) in formats.enumerated() {
      let rate: SampleRate = format.codec == .opus ? .hz48000 : format.codec == .g722 ? .hz16000 : try rate(of: format)
      let start = Double(part) * 1_200
      var firstTimestamp = UInt32(5_000)
      if let last = stream.last, part > 0 {
        let before = formats[part - 1]
        switch continuation {
        case _ where before.clockRate == format.clockRate, .countsOn:
          firstTimestamp = last.timestamp &+ before.timestampStep
        case .clockRanFromTheStart: firstTimestamp = 5_000 &+ UInt32(start) &* UInt32(format.clockRate / 1_000)
        case .beginsAnew: firstTimestamp = 0xDEAD_0000
        }
      }
      let tone = sine(400, sampleRate: rate, count: rate.hertz * 6 / 5)
      for var packet in try packets(
        tone, format: format, sampleRate: rate, firstSequence: (stream.last?.sequence ?? 99) &+ 1,
        firstTimestamp: firstTimestamp)
      {
        packet.payloadType = format.payloadType
        packet.sent += start
        packet.arrival! += start
        stream.append(packet)
      }
    }
    return stream
  }

  private static func rate(of format: CodecFormat) throws -> SampleRate { try SampleRate(hertz: format.clockRate) }

  @Test(arguments: Continuation.allCases)
  func theSoundGoesOnWhateverTheTimestampsDo(continuation: Continuation) throws {
    let formats: [CodecFormat] = [.pcmu, .opus(), .pcma, .g722, Self.wide, .opus(), .pcmu]
    var buffer = try JitterBuffer(formats: [.opus(), .pcmu, .pcma, .g722, Self.wide], sampleRate: .hz48000)
    #expect(buffer.sampleRate == .hz48000)
    let result = play(try Self.stream(formats, continuation), through: &buffer, tail: 0)
    #expect(result.outcomes.allSatisfy { $0 == .inserted })
    let statistics = result.statistics
    #expect(statistics.concealedSamples == 0 && statistics.missingPackets == 0 && statistics.restarts == 0)
    #expect(statistics.latePackets == 0 && statistics.comfortNoiseSamples == 0)
    // No hole and no click: every 20 ms have the tone's power, but for Opus' start.
    let windows = stride(from: 48 * 100, to: result.samples.count - 960, by: 960).map {
      powerDecibels(result.samples[$0..<$0 + 960])
    }
    #expect(windows.count { abs($0 + 9) > 3 } <= 4, "\(windows.filter { abs($0 + 9) > 3 })")
    let steps = zip(result.samples.dropFirst(4_800), result.samples.dropFirst(4_801)).map { abs($1 - $0) }
    #expect((steps.max() ?? 1) < 0.15, "the tone's own steps are 0.026")
    #expect(result.delays.last! < 25)
  }

  @Test func lossAndReorderingAtTheChangeAreWhatTheyAreElsewhere() throws {
    for continuation in Continuation.allCases {
      var stream = try Self.stream([.pcmu, .opus(), .pcmu], continuation)
      var settings = JitterBufferSettings()
      settings.minimumDelayMilliseconds = 60
      // The last packet of the old codec is lost, and the first of the new one.
      for index in [59, 60] { stream[index].arrival = nil }
      // The first of the third comes after the second, which places the new clock.
      stream[120].arrival! += 30
      stream.append(stream[90])  // a duplicate
      var buffer = try JitterBuffer(formats: [.pcmu, .opus()], sampleRate: .hz48000, settings: settings)
      let statistics = play(stream, through: &buffer, tail: 0).statistics
      #expect(statistics.missingPackets == 2 && statistics.duplicatePackets == 1, "\(continuation)")
      #expect(abs(statistics.concealedSamples - 2 * 960) <= 480, "\(continuation): \(statistics.concealedSamples)")
      #expect(statistics.packetsDiscarded == 0, "\(continuation)")
    }
  }

  @Test func oneClockIsOneRunOfTimestamps() throws {
    // µ-law and A-law differ in nothing but the bytes: no seam at all.
    var buffer = try JitterBuffer(formats: [.pcmu, .pcma], sampleRate: .hz8000)
    let stream = try Self.stream([.pcmu, .pcma, .pcmu], .countsOn)
    let result = play(stream, through: &buffer, tail: 0)
    let start = result.positions.firstIndex { $0 != nil }!
    for (call, position) in result.positions.enumerated().dropFirst(start) {
      let expected = 5_000 + UInt32(call - start) * 80
      // A join may move the sound by 5 ms.
      #expect(abs(try #require(position).distance(to: RTPTimestamp(expected))) <= 80)
    }
    #expect(result.statistics.totalSamplesReceived == result.statistics.jitterBufferEmittedCount)
  }

  @Test func ratesThatDoNotDivideEachOtherMeet() throws {
    let music = CodecFormat.l16(.hz44100, payloadType: 11)
    var settings = JitterBufferSettings()
    settings.maximumPayloadSize = 1_764  // 20 ms of it
    var buffer = try JitterBuffer(formats: [music, .opus()], sampleRate: .hz48000, settings: settings)
    #expect(buffer.sampleRate == .hz48000)
    let result = play(try Self.stream([music, .opus(), music], .beginsAnew), through: &buffer, tail: 0)
    #expect(result.statistics.concealedSamples == 0 && result.statistics.missingPackets == 0)
    #expect(abs(result.statistics.jitterBufferEmittedCount - 3 * 57_600) < 2_000)
  }

  @Test func positionsAndMarksAreInTicksOfThePresentCodec() throws {
    var buffer = try JitterBuffer(formats: [.g722, .opus()], sampleRate: .hz48000)
    let stream = try Self.stream([.g722, .opus()], .beginsAnew)
    let first = play(Array(stream[..<55]), through: &buffer, tail: 0)
    // G.722's clock has 8,000 ticks a second.
    let played = try #require(first.positions.last ?? nil)
    #expect(abs(played.distance(to: RTPTimestamp(5_000 + 55 * 160))) < 4 * 160)
    for packet in stream[55...] { Call.insert(&buffer, packet) }
    let marked = buffer.addMark(1, at: RTPTimestamp(0xDEAD_0000 &+ 960 * 10))
    #expect(marked)
    var frame = [Float](repeating: 0, count: 480)
    var reached: [Int] = []
    for call in 112..<150 {
      var span = frame.mutableSpan
      buffer.playout(into: &span, at: MediaInstant(milliseconds: Double(call) * 10))
      if buffer.nextMark() != nil { reached.append(call) }
    }
    // 200 ms into the second part, and the time in the buffer.
    #expect(reached.count == 1 && (140...146).contains(reached[0]), "\(reached)")
  }

  @Test func anUnknownPayloadTypeIsRefused() throws {
    var buffer = try JitterBuffer(formats: [.pcmu, .pcma], sampleRate: .hz8000)
    let payload = [UInt8](repeating: 0xFF, count: 160)
    let outcome = buffer.insert(
      payload.span, payloadType: 18, sequenceNumber: SequenceNumber(1), timestamp: RTPTimestamp(0), at: .zero)
    #expect(outcome == .malformed)
    let accepted = [buffer.accepts(payloadType: 0), buffer.accepts(payloadType: 8), buffer.accepts(payloadType: 18)]
    #expect(accepted == [true, true, false])
  }

  @Test func changesTouchNeitherHeapNorLocks() throws {
    let formats: [CodecFormat] = [.pcmu, .opus(), .g722, Self.wide, .opus(), .pcmu]
    let stream = try Self.stream(formats, .clockRanFromTheStart)
    var buffer = try JitterBuffer(formats: [.opus(), .pcmu, .g722, Self.wide], sampleRate: .hz48000)
    var frame = SampleBuffer(repeating: 0, count: 480)
    var payload = ByteBuffer(repeating: 0, count: 1_500)
    var (next, operations) = (0, 0)
    for call in 0..<700 {
      while next < stream.count && stream[next].arrival! <= Double(call) * 10 {
        let packet = stream[next]
        for index in packet.payload.indices { payload[index] = packet.payload[index] }
        let (count, type) = (packet.payload.count, packet.payloadType)
        let counted = heapOperations {
          onRealtimePath {
            _ = buffer.insert(
              payload.view(0..<count), payloadType: type, sequenceNumber: SequenceNumber(packet.sequence),
              timestamp: RTPTimestamp(packet.timestamp), at: MediaInstant(milliseconds: packet.arrival!))
          }
        }
        if call > 10 { operations += counted ?? 0 }
        next += 1
      }
      let counted = heapOperations {
        onRealtimePath {
          var span = frame.mutableSpan
          buffer.playout(into: &span, at: MediaInstant(milliseconds: Double(call) * 10))
        }
      }
      if call > 10 { operations += counted ?? 0 }
    }
    #expect(operations == 0)
  }
}
