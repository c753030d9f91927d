import AudioCodecs
import JitterBuffer
import RealtimeCore

/// The input is a codec with settings, or all of them, then packets in any order and time between calls for samples.
func fuzzJitterBuffer(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let setting = input.byte()
  let formats: [CodecFormat] = [
    .opus(), .pcmu, .pcma, .l16(.hz16000), .l16(.hz44100), .g722, .l24(.hz48000, payloadType: 97),
  ]
  let format = formats[Int(setting & 7) % formats.count]
  var settings = JitterBufferSettings()
  settings.packetCapacity = setting & 8 == 0 ? 200 : 8
  settings.maximumPayloadSize = 1_024
  settings.minimumDelayMilliseconds = setting & 16 == 0 ? 0 : 100
  settings.initialDelayMilliseconds = setting & 32 == 0 ? 20 : 0
  let isAny = setting & 128 != 0
  var buffer = try JitterBuffer(
    formats: isAny ? formats : [format], sampleRate: setting & 64 == 0 ? .hz48000 : .hz16000, settings: settings)
  var stream = FuzzedStream(format)
  var samples = [Float](repeating: 0, count: 2_048)

  for _ in 0..<128 where !input.isEmpty {
    let command = input.byte()
    switch command & 7 {
    case 0, 1, 2, 3:
      stream.advance(&input, command)
      let payload = input.chunk()
      let type = isAny ? formats[Int(command >> 3) % formats.count].payloadType : nil
      if isAny && command & 7 == 3 {
        _ = buffer.insertRedundant(
          ByteView(payload.span), noiseType: 13, sequenceNumber: stream.sequenceNumber, timestamp: stream.timestamp,
          at: stream.now)
      } else {
        _ = buffer.insert(
          payload.span, payloadType: type, sequenceNumber: stream.sequenceNumber, timestamp: stream.timestamp,
          at: stream.now)
      }
    case 4: stream.wait(&input)
    case 5:
      switch command >> 3 & 3 {
      case 0: buffer.flush()
      case 1: buffer.reset()
      case 2:
        let payload = input.chunk()
        _ = buffer.insertComfortNoise(
          ByteView(payload.span), sequenceNumber: stream.sequenceNumber, timestamp: stream.timestamp, at: stream.now)
      default: buffer.noteForeignPacket(sequenceNumber: SequenceNumber(input.short()))
      }
    default:
      let count = command >> 3 == 0 ? Int(input.short()) % 2_049 : buffer.sampleRate.hertz / 100
      var whole = samples.mutableSpan
      var frame = whole.part(0..<count)
      buffer.playout(into: &frame, at: stream.now)
      for index in 0..<count { check(samples[index].isFinite, "sample \(index) is \(samples[index])") }
      stream.now = stream.now.advanced(byNanoseconds: buffer.sampleRate.nanoseconds(sampleCount: count))
    }
    check(buffer.packetCount <= settings.packetCapacity, "\(buffer.packetCount) packets wait")
    check((0...2_000_000_000).contains(buffer.targetDelay), "a target of \(buffer.targetDelay) ns")
    _ = buffer.position
    _ = buffer.playoutDelay
  }
  let statistics = buffer.statistics
  check(statistics.concealedSamples >= 0 && statistics.totalSamplesReceived >= 0, "a counter below 0")
  check(statistics.concealedSamples <= statistics.totalSamplesReceived, "more concealed than played")
}
