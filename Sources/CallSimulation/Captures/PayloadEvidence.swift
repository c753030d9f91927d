internal import AudioCodecs
internal import AudioFiles
internal import RealtimeCore

/// What the payloads of one type themselves tell: how long they play as Opus, and by which law of G.711 they sound like
/// a signal.
struct PayloadEvidence: Sendable {
  /// Packets that can be Opus, and that cannot.
  private(set) var opusCount = 0
  private(set) var otherCount = 0
  /// How long they play as Opus, in microseconds.
  private(set) var opusMicroseconds = 0
  /// The duration of one Opus packet, where all have the same.
  private(set) var opusPacketMicroseconds: Int?
  private var mu = LawEvidence()
  private var a = LawEvidence()
  private var law: G711.Law?

  mutating func add(_ payload: Span<UInt8>, name: PayloadName?) {
    if name == nil || name?.isEncoding("opus") == true { addOpus(payload) }
    if law == nil, let name {
      law = name.isEncoding("PCMU") ? .mu : name.isEncoding("PCMA") ? .a : nil
    }
    // The first minute tells as well as an hour.
    if law != nil, mu.sampleCount < 480_000 {
      mu.add(payload, .mu)
      a.add(payload, .a)
    }
  }

  private mutating func addOpus(_ payload: Span<UInt8>) {
    guard payload.count > 0, let header = OpusPacketHeader(payload) else {
      otherCount += 1
      return
    }
    if opusCount == 0 { opusPacketMicroseconds = header.durationMicroseconds }
    if opusPacketMicroseconds != header.durationMicroseconds { opusPacketMicroseconds = nil }
    opusCount += 1
    opusMicroseconds += header.durationMicroseconds
  }

  /// The law that fits in place of the one that the label says: with it the sound is less than half as loud and half as
  /// rough. The wrong law makes noise of speech: where one law has its small values the other has large ones.
  var likelierLaw: G711.Law? {
    guard let law else { return nil }
    let (own, other) = law == .mu ? (mu, a) : (a, mu)
    guard own.sampleCount >= 4_000, other.power > 0 else { return nil }
    return own.power > 4 * other.power && own.roughness > 2 * other.roughness ? (law == .mu ? .a : .mu) : nil
  }
}

/// How payloads sound by one law.
private struct LawEvidence: Sendable {
  private(set) var sampleCount = 0
  private var energy = 0.0
  private var neighbours = 0.0

  mutating func add(_ payload: Span<UInt8>, _ law: G711.Law) {
    var last = 0.0
    for index in payload.indices {
      let sample = Double(G711.decode(payload[index], law)) / 32_768
      energy += sample * sample
      neighbours += sample * last
      last = sample
    }
    sampleCount += payload.count
  }

  var power: Double { sampleCount > 0 ? energy / Double(sampleCount) : 0 }
  /// 1 minus the correlation of neighbouring samples: white noise has 1, speech 0.05 to 0.3.
  var roughness: Double { energy > 0 ? 1 - neighbours / energy : 1 }
}
