import AudioCodecs
import RealtimeCore

/// The input is a codec, then payloads, losses and resets.
func fuzzPCM(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let setting = input.byte()
  let rates: [SampleRate] = [.hz8000, .hz11025, .hz16000, .hz44100, .hz48000]
  let format: CodecFormat =
    switch setting & 7 {
    case 0: .pcmu
    case 1: .pcma
    case 4: .g722
    case 5: .l24(rates[Int(setting >> 3) % rates.count])
    default: .l16(rates[Int(setting >> 3) % rates.count])
    }
  var decoder = try AudioDecoder(format, sampleRate: .hz48000)
  var samples = [Float](repeating: 0, count: 2_048)

  for _ in 0..<32 where !input.isEmpty {
    let command = input.byte()
    let room = command & 0x80 == 0 ? samples.count : Int(input.short()) % samples.count
    var whole = samples.mutableSpan
    var frame = whole.part(0..<room)
    switch command & 3 {
    case 0, 1:
      let payload = input.chunk()
      let told = decoder.sampleCount(of: payload.span)
      if let count = try? decoder.decode(payload.span, into: &frame) {
        check(count == told, "\(count) samples where \(told ?? 0) were told")
      } else {
        check(told == nil || told! > room, "a payload of \(payload.count) bytes was refused")
      }
      check(!decoder.hasRedundancy(payload.span), "PCM with a copy")
    case 2: check(decoder.conceal(into: &frame) == room, "concealed less than all")
    default: decoder.reset()
    }
    for index in 0..<room { check(abs(samples[index]) <= 1, "sample \(index) is \(samples[index])") }
  }
}
