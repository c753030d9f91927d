import AudioCodecs
import RealtimeCore
import TestSupport
import Testing

@Suite struct CodecTests {
  static let formats: [(CodecFormat, SampleRate)] = [
    (.opus(), .hz48000), (.opus(), .hz16000), (.pcmu, .hz8000), (.pcma, .hz8000), (.l16(.hz16000), .hz16000),
    (.l16(.hz44100), .hz44100), (.l24(.hz48000), .hz48000), (.g722, .hz16000),
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
    #expect(Codec(sdpName: "G729") == nil)
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
    #expect(throws: CodecError.opus(.unsupportedSetting(.complexity, value: -1, lowest: 0, highest: 10))) {
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
      let (nothing, three): ([UInt8], [UInt8]) = ([], [1, 2, 3])
      let sampleCount = decoder.sampleCount(of: packet.span)
      #expect(sampleCount == frame.count)
      var short = [Float](repeating: 0, count: frame.count - 1)
      var shortSpan = short.mutableSpan
      #expect(throws: CodecError.outputTooSmall(room: frame.count - 1, needed: frame.count)) {
        try decoder.decode(packet.span, into: &shortSpan)
      }
      var samples = frame.mutableSpan
      #expect(throws: CodecError.malformedPayload(byteCount: 0)) { try decoder.decode(nothing.span, into: &samples) }
      let ofNothing = decoder.sampleCount(of: nothing.span)
      let ofThree = decoder.sampleCount(of: three.span)
      #expect(ofNothing == nil)
      if format.codec == .l16 { #expect(ofThree == nil) }
      let hasRedundancy = decoder.hasRedundancy(packet.span)
      #expect(!hasRedundancy)
      #expect(throws: CodecError.noRedundancy) { try decoder.decodeRedundancy(packet.span, into: &samples) }
      #expect(try decoder.decode(packet.span, into: &samples) == frame.count)
    }
  }

  @Test func pathAllocatesNothing() throws {
    for (format, rate) in Self.formats {
      var call = try CodecCall(format, rate)
      let signal = vowel(sampleRate: rate, seconds: 2)
      let size = call.encoder.frameSampleCount
      var frame = SampleBuffer(repeating: 0, count: size)
      var payload = ByteBuffer(repeating: 0, count: call.encoder.maximumPayloadByteCount)
      var operations: [Int?] = []
      for (index, start) in stride(from: 0, through: signal.count - size, by: size).enumerated() {
        for i in 0..<size { frame[i] = signal[start + i] }
        operations.append(try heapOperations { try onRealtimePath { try call.step(index, &frame, &payload) } })
      }
      // The first calls may fetch metadata.
      #expect(operations.dropFirst(10).allSatisfy { $0 == 0 || $0 == nil }, "\(format.codec) at \(rate)")
      if format.codec == .opus { #expect(call.redundantCount > 0) }
    }
  }
}

/// An encoder and a decoder back to back, with losses, repairs and changes of settings.
private struct CodecCall: ~Copyable {
  var encoder: AudioEncoder
  var decoder: AudioDecoder
  var redundantCount = 0

  init(_ format: CodecFormat, _ rate: SampleRate) throws {
    let settings = OpusEncoderSettings(forwardErrorCorrection: true, expectedPacketLoss: 20)
    let encoder = try AudioEncoder(format, sampleRate: rate, opus: settings)
    let decoder = try AudioDecoder(format, sampleRate: rate)
    self.encoder = consume encoder
    self.decoder = consume decoder
  }

  @_noLocks
  mutating func step(_ index: Int, _ frame: inout SampleBuffer, _ payload: inout ByteBuffer) throws(CodecError) {
    switch index % 10 {
    case 3: try encoder.setBitrate(.bitsPerSecond(24_000 &+ index &* 100))
    case 4: try encoder.setExpectedPacketLoss(10 &+ index % 10)
    case 5: try encoder.setForwardErrorCorrection(true)
    case 6: try encoder.setDiscontinuousTransmission(index % 20 == 6)
    default: break
    }
    var bytes = payload.mutableSpan
    let count = try encoder.encode(frame.view, into: &bytes)
    var samples = frame.mutableSpan
    if index % 7 == 5 || count == 0 {
      _ = decoder.conceal(into: &samples)
    } else {
      if index % 7 == 6 && decoder.hasRedundancy(payload.view(0..<count)) {
        redundantCount &+= 1
        _ = try decoder.decodeRedundancy(payload.view(0..<count), into: &samples)
      }
      _ = try decoder.decode(payload.view(0..<count), into: &samples)
    }
    if index == 80 {
      encoder.reset()
      decoder.reset()
    }
  }
}
