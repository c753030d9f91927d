import AudioCodecs
import JitterBuffer
import RealtimeCore
import TestSupport

/// A packet of a made-up sender, and the fate that the network has for it.
struct TestPacket {
  var sequence: UInt16
  var timestamp: UInt32
  var payload: [UInt8]
  /// End of its capture, in ms.
  var sent: Double
  /// In ms; `nil` when the network loses it.
  var arrival: Double?
  /// `nil` is the buffer's first format.
  var payloadType: UInt8?
}

/// What came out of a jitter buffer, call by call.
struct Playout {
  var samples: [Float] = []
  var positions: [RTPTimestamp?] = []
  /// In ms over the fastest packets.
  var delays: [Double] = []
  var targets: [Double] = []
  /// Samples concealed so far, behind each call.
  var concealed: [Int] = []
  var outcomes: [InsertOutcome] = []
  var statistics = JitterBufferStatistics()

  /// Delay of the samples played at `milliseconds`.
  func delay(atMilliseconds milliseconds: Int) -> Double { delays[milliseconds / 10] }
}

/// A voiced sound that never repeats exactly: harmonics of a gliding pitch, as speech is, in phrases with pauses.
func voice(seconds: Double, sampleRate: SampleRate, pauses: Bool = true) -> [Float] {
  let rate = Double(sampleRate.hertz)
  var phase = 0.0
  var random = SeededRandom(seed: 7)
  return (0..<Int(seconds * rate)).map { index in
    let time = Double(index) / rate
    phase += (120 + 25 * sine(time * 0.7)) / rate
    let harmonics = (1...12).reduce(0.0) { $0 + sine(phase * Double($1)) / Double($1) }
    let speaks = !pauses || time.truncatingRemainder(dividingBy: 2.5) < 2
    let noise = Double(Float.random(in: -1...1, using: &random)) * 0.0003
    return Float((speaks ? 0.1 * harmonics : 0) + noise)
  }
}

private func sine(_ turns: Double) -> Double {
  // Bhaskara's approximation is near enough for a test tone, and needs no library.
  let x = turns - turns.rounded(.down)
  let y = x < 0.5 ? x * 2 : (x - 0.5) * 2
  let value = 16 * y * (1 - y) / (5 - 4 * y * (1 - y))
  return x < 0.5 ? value : -value
}

/// Packets of `signal`, each `delay` ms on the way until a test changes that.
func packets(
  _ signal: [Float], format: CodecFormat, sampleRate: SampleRate, opus: OpusEncoderSettings = OpusEncoderSettings(),
  firstSequence: UInt16 = 100, firstTimestamp: UInt32 = 5_000, delay: Double = 20
) throws -> [TestPacket] {
  var encoder = try AudioEncoder(format, sampleRate: sampleRate, opus: opus)
  var payload = [UInt8](repeating: 0, count: 2_000)
  let count = encoder.frameSampleCount
  let buffer = FixedBuffer<Float>(signal)
  var made: [TestPacket] = []
  var sequence = firstSequence
  for index in 0..<signal.count / count {
    var span = payload.mutableSpan
    let bytes = try encoder.encode(buffer.view(index * count..<(index + 1) * count), into: &span)
    let sent = Double((index + 1) * count) / Double(sampleRate.hertz) * 1_000
    let step = format.timestampStep
    guard bytes > 0 else { continue }  // Opus DTX: neither a packet nor a number
    made.append(
      TestPacket(
        sequence: sequence, timestamp: firstTimestamp &+ UInt32(index) &* step, payload: Array(payload[0..<bytes]),
        sent: sent, arrival: sent + delay))
    sequence &+= 1
  }
  return made
}

extension FixedBuffer where Element == Float {
  init(_ samples: [Float]) {
    self.init(repeating: 0, count: samples.count)
    for index in samples.indices { self[index] = samples[index] }
  }
}

/// Plays `packets` on virtual time, 10 ms a call, until `tail` ms after the last arrival.
func play(
  _ packets: [TestPacket], through buffer: inout JitterBuffer, tail: Double = 500, frameMilliseconds: Int = 10
) -> Playout {
  var result = Playout()
  let arrivals = packets.enumerated().filter { $0.element.arrival != nil }
    .sorted { ($0.element.arrival!, $0.offset) < ($1.element.arrival!, $1.offset) }.map(\.element)
  let count = buffer.sampleRate.sampleCount(milliseconds: frameMilliseconds)
  var frame = [Float](repeating: 0, count: count)
  var next = 0
  var now = 0.0
  let end = (arrivals.last?.arrival ?? 0) + tail
  while now < end {
    while next < arrivals.count && arrivals[next].arrival! <= now {
      let packet = arrivals[next]
      result.outcomes.append(
        buffer.insert(
          packet.payload.span, payloadType: packet.payloadType, sequenceNumber: SequenceNumber(packet.sequence),
          timestamp: RTPTimestamp(packet.timestamp), at: MediaInstant(milliseconds: packet.arrival!)))
      next += 1
    }
    var span = frame.mutableSpan
    buffer.playout(into: &span, at: MediaInstant(milliseconds: now))
    result.samples += frame
    result.positions.append(buffer.position)
    result.delays.append(Double(buffer.playoutDelay) * 1e-6)
    result.targets.append(Double(buffer.targetDelay) * 1e-6)
    result.concealed.append(buffer.statistics.concealedSamples)
    now += Double(frameMilliseconds)
  }
  result.statistics = buffer.statistics
  return result
}

/// A 16 kHz stream of 16-bit PCM, whose samples come out exactly as they went in.
let exactFormat = CodecFormat.l16(.hz16000)
func exactBuffer(_ settings: JitterBufferSettings = JitterBufferSettings()) throws -> JitterBuffer {
  try JitterBuffer(format: exactFormat, sampleRate: .hz16000, settings: settings)
}
func opusBuffer(_ settings: JitterBufferSettings = JitterBufferSettings()) throws -> JitterBuffer {
  try JitterBuffer(format: .opus(), sampleRate: .hz48000, settings: settings)
}
