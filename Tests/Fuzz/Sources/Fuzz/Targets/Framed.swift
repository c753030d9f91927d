import Networking
import RealtimeCore

/// The input is a format, then messages: chunks of any length, packets of one size, base64 as it came and as we write it.
/// A decoder that gets all bytes at once must give the same samples as one that gets them in chunks.
func fuzzFramedAudio(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let setting = input.byte()
  let rates: [SampleRate] = [.hz8000, .hz16000, .hz24000, .hz44100]
  let format = FramedAudioFormat(setting & 1 == 0 ? .pcm16 : .muLaw, rates[Int(setting >> 1) & 3])
  var decoder = FramedAudioDecoder(format)
  var cutter = try PacketCutter(format)
  var base64 = Base64()
  var samples = [Float](repeating: 0, count: 8_192)
  var text = [UInt8](repeating: 0, count: 16_384)
  var stream: [UInt8] = []
  var heard: [Float] = []

  for _ in 0..<32 where !input.isEmpty {
    let command = input.byte()
    let message = input.chunk()
    let room = command & 0x80 == 0 ? samples.count : Int(input.short()) % samples.count
    var whole = samples.mutableSpan
    var target = whole.part(0..<room)
    switch command & 3 {
    case 0:
      let told = decoder.sampleCount(of: message.count)
      let (read, written) = decoder.decode(message.span, into: &target)
      check(read <= message.count && written == min(told, room), "\(written) samples where \(told) were told")
      check(read == message.count || written == room, "bytes are left, and room too")
      stream += message[0..<read]
      heard += samples[0..<written]
    case 1:
      let told = Base64.sampleCount(of: message.count, by: decoder)
      if let count = try? base64.decode(message.span, by: &decoder, into: &target) {
        check(count <= told && count <= room, "\(count) samples where \(told) were told")
        // A text that was taken is the one that we write, but for padding and the last character's spare bits.
        stream = []
        heard = []
        decoder.reset()
      }
    case 2:
      var characters = text.mutableSpan
      let length = base64.encode(message.span, into: &characters)
      let before = decoder.sampleCount(of: message.count)
      guard let count = try? base64.decode(text.span.extracting(0..<length), by: &decoder, into: &target) else {
        check(before > room, "our own text was refused")
        continue
      }
      check(count == before, "\(count) samples from our own text where \(before) were told")
      stream += message
      heard += samples[0..<count]
    default:
      let size = format.packetByteCount()
      let count = try? decoder.decode(packet: ByteView(message.span), ofExactly: size, into: &target)
      check(count == nil || message.count == size, "a packet of \(message.count) bytes was taken")
      stream = []
      heard = []
      decoder.reset()
    }
    var start = 0
    let limit = min(room, 2_048)
    while start < limit {
      start += cutter.push(samples.span.extracting(start..<limit))
      if cutter.isComplete { cutter.begin() }
    }
  }

  var fresh = FramedAudioDecoder(format)
  var again = [Float](repeating: 0, count: stream.count + 1)
  var span = again.mutableSpan
  let (_, count) = fresh.decode(stream.span, into: &span)
  check(count == heard.count && again[0..<count] == heard[...], "chunks give other samples than the whole")
}
