import AudioCodecs
import MediaEngine
import RTPTransport
import RealtimeCore

/// The input is an engine's settings, then datagrams between blocks of sound: raw ones, and packets whose header fits
/// the stream, sealed where the engine has a key.
func fuzzEngine(_ bytes: [UInt8]) throws {
  var input = FuzzInput(bytes)
  let setting = input.byte()
  let formats: [CodecFormat] = [.opus(), .g722, .pcma, .l16(.hz16000)]
  var settings = MediaEngineSettings.unprocessed
  settings.engineRate = .hz16000
  settings.captureRate = .hz16000
  settings.sendFormat = .pcmu
  settings.receiveFormat = formats[Int(setting & 3)]
  settings.renderRate = setting & 4 == 0 ? .hz48000 : .hz44100
  settings.bandCount = setting & 8 == 0 ? 0 : 8
  settings.remoteSSRC = setting & 16 == 0 ? nil : 0x5EED_0001
  let key = try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0) })
  if setting & 32 != 0 { settings.security = .init(send: key, receive: key) }
  var engine = try MediaEngine(settings)
  var sender = try SRTPSender(key: key, ssrc: 0x5EED_0001)
  var stream = FuzzedStream(settings.receiveFormat)
  var samples = [Float](repeating: 0, count: 1_024)
  var datagram = [UInt8](repeating: 0, count: 1_500)

  for _ in 0..<64 where !input.isEmpty {
    let command = input.byte()
    switch command & 7 {
    case 0: engine.receive(input.chunk().span, at: stream.now)
    case 1, 2, 3:
      stream.advance(&input, command)
      let header = RTPHeader(
        payloadType: command == 3 ? 101 : settings.receiveFormat.payloadType, sequenceNumber: stream.sequenceNumber,
        timestamp: stream.timestamp, ssrc: 0x5EED_0001)
      var packet = try packet(header, input.chunk())
      if settings.security != nil { seal(&packet, &sender) }
      engine.receive(packet.span, at: stream.now)
    case 4: stream.wait(&input)
    case 5: engine.flush()
    default:
      let count = command >> 3 == 0 ? Int(input.short()) % 1_025 : settings.renderRate.hertz / 100
      var whole = samples.mutableSpan
      var frame = whole.part(0..<count)
      engine.render(into: &frame, at: stream.now)
      for index in 0..<count { check(samples[index].isFinite, "sample \(index) is \(samples[index])") }
      stream.now = stream.now.advanced(byNanoseconds: settings.renderRate.nanoseconds(sampleCount: count))
    }
    poll(&engine, into: &datagram, at: stream.now)
  }
  let received = engine.statistics.inboundRTP
  check(received.jitter.isFinite && received.jitter >= 0, "a jitter of \(received.jitter)")
  for band in 0..<settings.bandCount {
    check((0...1).contains(engine.renderLevel(band)), "band \(band) at \(engine.renderLevel(band))")
  }
}

private func poll(_ engine: inout MediaEngine, into datagram: inout [UInt8], at now: MediaInstant) {
  while true {
    switch engine.poll(into: &datagram, at: now) {
    case .wait: return
    case .event: continue
    case .transmit: fatalError("a packet without sound from the microphone")
    }
  }
}

private func packet(_ header: RTPHeader, _ payload: [UInt8]) throws -> [UInt8] {
  var packet = [UInt8](repeating: 0, count: RTPHeader.byteCount)
  var span = packet.mutableSpan
  try header.write(into: &span)
  return packet + payload
}

/// Leaves the packet open where the sender refuses, as for a number used before.
private func seal(_ packet: inout [UInt8], _ sender: inout SRTPSender) {
  let count = packet.count
  packet += [UInt8](repeating: 0, count: sender.profile.trailerByteCount)
  var span = packet.mutableSpan
  let sealed = try? sender.protect(&span, byteCount: count)
  packet.removeLast(packet.count - (sealed ?? count))
}
