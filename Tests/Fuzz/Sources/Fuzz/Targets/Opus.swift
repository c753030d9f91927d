import AudioCodecs
import RealtimeCore

/// The input is a rate and a number of channels, then commands of one decoder with the packets of a stream.
func fuzzOpus(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let setting = input.byte()
  let rates: [SampleRate] = [.hz8000, .hz12000, .hz16000, .hz24000, .hz48000]
  let rate = rates[Int(setting & 7) % rates.count]
  let channels = Int(setting >> 3 & 1) + 1
  var decoder = try OpusDecoder(sampleRate: rate, channelCount: channels)
  var stream = try AudioDecoder(.opus(), sampleRate: rate)
  var samples = [Float](repeating: 0, count: rate.hertz * 12 / 100 * channels)

  for _ in 0..<32 where !input.isEmpty {
    let command = input.byte()
    // A frame that is too short now and then.
    let room = command & 0x80 == 0 ? samples.count : Int(input.short()) % samples.count
    var whole = samples.mutableSpan
    var frame = whole.part(0..<room)
    var count = 0
    switch command & 7 {
    case 0, 1: count = decode(input.chunk(), &decoder, &frame)
    case 2: count = (try? decoder.decodeRedundancy(ByteView(input.chunk().span), into: &frame)) ?? 0
    case 3: count = decoder.conceal(into: &frame)
    case 4: decoder.setGain(decibels: Float(Int8(bitPattern: input.byte())))
    case 5: decoder.reset()
    default: decodeStream(input.chunk(), &stream, &frame)
    }
    check(count * channels <= room, "\(count) samples in a room of \(room)")
    for index in 0..<room { check(samples[index].isFinite, "sample \(index) is \(samples[index])") }
    _ = decoder.pitchPeriod
  }
}

private func decode(_ packet: [UInt8], _ decoder: inout OpusDecoder, _ frame: inout MutableSpan<Float>) -> Int {
  let header = OpusPacketHeader(packet.span)
  do throws(OpusError) {
    let count = try decoder.decode(ByteView(packet.span), into: &frame)
    check(count == header?.sampleCount(at: decoder.sampleRate), "a header that contradicts the decoder")
    return count
  } catch {
    check(error == .bufferTooSmall || header == nil, "the header is good, the decoder says: \(error)")
    return 0
  }
}

private func decodeStream(_ payload: [UInt8], _ stream: inout AudioDecoder, _ frame: inout MutableSpan<Float>) {
  let room = frame.count
  if stream.hasRedundancy(payload.span) {
    let count = (try? stream.decodeRedundancy(payload.span, into: &frame)) ?? 0
    check(count <= room, "\(count) repaired samples in a room of \(room)")
  }
  if let count = try? stream.decode(payload.span, into: &frame) {
    check(count == stream.sampleCount(of: payload.span), "a count that contradicts the decoder")
  } else {
    check(stream.conceal(into: &frame) <= room, "concealed more than there is room for")
  }
}
