import AudioCodecs
import RealtimeCore
import TestSupport
import Testing

@Suite struct CodecTests {
  static let formats: [(CodecFormat, SampleRate)] = [
    (.opus(), .hz48000), (.opus(), .hz16000), (.pcmu, .hz8000), (.pcma, .hz8000), (.l16(.hz16000), .hz16000),
    (.l16(.hz44100), .hz44100),
  ]

  @Test func formatsKnowTheirPlaceInSDPAndRTP() {
    #expect(CodecFormat.opus().rtpmap == "111 opus/48000/2")
    #expect(CodecFormat.pcmu.rtpmap == "0 PCMU/8000")
    #expect(CodecFormat.pcma.rtpmap == "8 PCMA/8000")
    #expect(CodecFormat.l16(.hz16000).rtpmap == "96 L16/16000")
    #expect(CodecFormat.l16(.hz44100).rtpmap == "11 L16/44100")
    #expect(CodecFormat.opus().timestampStep == 960)
    #expect(CodecFormat.opus(packetDuration: 2_500).timestampStep == 120)
    #expect(CodecFormat.pcmu(packetDuration: 30_000).timestampStep == 240)
    for codec in Codec.allCases {
      #expect(Codec(sdpName: codec.sdpName.lowercased()) == codec)
      #expect(Codec(sdpName: codec.sdpName.uppercased()) == codec)
    }
    #expect(Codec(sdpName: "G722") == nil)
  }

  @Test func wrongFormatsAreRefused() {
    #expect(throws: CodecError.unsupportedSampleRate(hertz: 44_100, .opus)) {
      _ = try AudioEncoder(.opus(), sampleRate: .hz44100)
    }
    #expect(throws: CodecError.unsupportedSampleRate(hertz: 16_000, .pcmu)) {
      _ = try AudioEncoder(.pcmu, sampleRate: .hz16000)
    }
    #expect(throws: CodecError.unsupportedPacketDuration(microseconds: 30_000, .opus)) {
      _ = try AudioEncoder(.opus(packetDuration: 30_000), sampleRate: .hz48000)
    }
    #expect(throws: CodecError.unsupportedPacketDuration(microseconds: 2_500, .l16)) {
      _ = try AudioEncoder(.l16(.hz44100, packetDuration: 2_500), sampleRate: .hz44100)
    }
    for duration in [Int.min, -1, 0, 60_001, .max] {
      #expect(throws: CodecError.unsupportedPacketDuration(microseconds: duration, .pcma)) {
        _ = try AudioEncoder(.pcma(packetDuration: duration), sampleRate: .hz8000)
      }
    }
    #expect(throws: CodecError.opus(.badArgument)) {
      _ = try AudioEncoder(.opus(), sampleRate: .hz48000, opus: OpusEncoderSettings(complexity: -1))
    }
  }

  @Test func decoderSaysItsRealRate() throws {
    #expect(try AudioDecoder(.opus(), sampleRate: .hz44100).sampleRate == .hz48000)
    #expect(try AudioDecoder(.opus(), sampleRate: .hz16000).sampleRate == .hz16000)
    #expect(try AudioDecoder(.pcmu, sampleRate: .hz48000).sampleRate == .hz8000)
    #expect(try AudioDecoder(.l16(.hz22050), sampleRate: .hz8000).sampleRate == .hz22050)
  }

  @Test func wrongSizesAreErrors() throws {
    for (format, rate) in Self.formats {
      var encoder = try AudioEncoder(format, sampleRate: rate)
      var decoder = try AudioDecoder(format, sampleRate: rate)
      var payload = [UInt8](repeating: 0, count: encoder.maximumPayloadByteCount)
      var frame = [Float](repeating: 0, count: encoder.frameSampleCount)
      var bytes = payload.mutableSpan
      #expect(throws: CodecError.wrongFrameSize(given: 7, needed: frame.count)) {
        try encoder.encode([Float](repeating: 0, count: 7).span, into: &bytes)
      }
      let count = try encoder.encode(frame.span, into: &bytes)
      var none = MutableSpan<UInt8>()
      #expect(throws: CodecError.self) { try encoder.encode(frame.span, into: &none) }
      let packet = Array(payload.prefix(count))
      #expect(decoder.sampleCount(of: packet.span) == frame.count)
      var short = [Float](repeating: 0, count: frame.count - 1)
      var shortSpan = short.mutableSpan
      #expect(throws: CodecError.outputTooSmall(room: frame.count - 1, needed: frame.count)) {
        try decoder.decode(packet.span, into: &shortSpan)
      }
      var samples = frame.mutableSpan
      #expect(throws: CodecError.malformedPayload(byteCount: 0)) { try decoder.decode([].span, into: &samples) }
      #expect(decoder.sampleCount(of: [].span) == nil)
      if format.codec == .l16 { #expect(decoder.sampleCount(of: [1, 2, 3].span) == nil) }
      #expect(!decoder.hasRedundancy(packet.span))
      #expect(throws: CodecError.noRedundancy) { try decoder.decodeRedundancy(packet.span, into: &samples) }
      #expect(try decoder.decode(packet.span, into: &samples) == frame.count)
    }
  }

  @Test func pathAllocatesNothing() throws {
    for (format, rate) in Self.formats {
      let settings = OpusEncoderSettings(
        forwardErrorCorrection: true, expectedPacketLoss: 20, discontinuousTransmission: true)
      var encoder = try AudioEncoder(format, sampleRate: rate, opus: settings)
      var decoder = try AudioDecoder(format, sampleRate: rate)
      let size = encoder.frameSampleCount
      let signal = vowel(sampleRate: rate, seconds: 2)
      var input = SampleBuffer(repeating: 0, count: size)
      var frame = SampleBuffer(repeating: 0, count: size)
      var payload = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
      var operations: [Int?] = []
      var redundant = 0
      for (index, start) in stride(from: 0, through: signal.count - size, by: size).enumerated() {
        for i in 0..<size { input[i] = signal[start + i] }
        let counted = try heapOperations {
          try onRealtimePath {
            var bytes = payload.mutableSpan
            let count = try encoder.encode(input.view, into: &bytes)
            if index % 10 == 3 { try encoder.setBitrate(.bitsPerSecond(24_000 + index * 100)) }
            if index % 10 == 4 { try encoder.setExpectedPacketLoss(10 + index % 10) }
            if index % 10 == 5 { try encoder.setForwardErrorCorrection(true) }
            if index % 10 == 6 { try encoder.setDiscontinuousTransmission(index % 20 == 6) }
            let packet = payload.view(0..<count)
            var samples = frame.mutableSpan
            if index % 7 == 5 || decoder.sampleCount(of: packet) == nil {
              _ = decoder.conceal(into: &samples)
            } else {
              if index % 7 == 6, decoder.hasRedundancy(packet) {
                redundant += 1
                _ = try decoder.decodeRedundancy(packet, into: &samples)
              }
              _ = try decoder.decode(packet, into: &samples)
            }
            if index == 80 {
              encoder.reset()
              decoder.reset()
            }
          }
        }
        if index >= 10 { operations.append(counted) }
      }
      #expect(operations.allSatisfy { $0 == 0 || $0 == nil }, "\(format.codec) at \(rate)")
      if format.codec == .opus { #expect(redundant > 0) }
    }
  }
}
