import AudioCodecs
import JitterBuffer
import RealtimeCore
import Rivals
import SignalProcessing

/// The stages that are ours altogether, each alone at 48 kHz.
func ownStageRows(_ options: Options) throws -> [Row] {
  let speech = try Speech("mic.wav", at: .hz48000)
  let meter = try LevelMeter(sampleRate: .hz48000)
  let bands = try BandLevels(sampleRate: .hz48000, preset: .ten)
  let voice = try VoiceActivity(sampleRate: .hz48000)
  let gain = try AutomaticGain(sampleRate: .hz48000)
  let contests = [
    frameContest("level meter", StageLoop(meter, speech) { stage, frame in stage.process(frame.view) }),
    frameContest("band levels, 10 bands", StageLoop(bands, speech) { stage, frame in _ = stage.process(frame.view) }),
    frameContest("voice activity", StageLoop(voice, speech) { stage, frame in _ = stage.process(frame.view) }),
    frameContest(
      "automatic gain",
      StageLoop(gain, speech) { stage, frame in
        var samples = frame.mutableSpan
        stage.process(&samples)
      }),
    try jitterBufferContest("packets on time", lateness: { _ in 0 }, speech),
    try jitterBufferContest("packets 0 to 60 ms late", lateness: { Int64($0 &* 7_919 % 61) }, speech),
  ]
  return contests.flatMap {
    $0.rows(.own, rounds: options.isQuick ? 3 : 11, audioPerRound: options.isQuick ? 1_000 : 8_000)
  }
}

private func frameContest<Loop: MeasuredLoop & ~Copyable>(_ name: String, _ loop: consuming Loop) -> Contest {
  Contest(task: "\(name), 10 ms", millisecondsOfAudio: 10, contenders: [Entrant("Antiphon", loop)])
}

private func jitterBufferContest(
  _ name: String, lateness: @escaping (Int) -> Int64, _ speech: Speech
) throws -> Contest {
  let format = CodecFormat.opus()
  let payloads = try Payloads(AudioEncoder(format, sampleRate: .hz48000), speech)
  let buffer = try JitterBuffer(format: format, sampleRate: .hz48000)
  return Contest(
    task: "jitter buffer with Opus, 20 ms, \(name)", millisecondsOfAudio: 20,
    contenders: [Entrant("Antiphon", JitterBufferLoop(buffer, payloads, lateness: lateness))])
}

/// One stage on a stretch of speech, 10 ms a call.
struct StageLoop<Stage: ~Copyable>: ~Copyable, MeasuredLoop {
  private var stage: Stage
  private let speech: Speech
  private let process: (inout Stage, inout SampleBuffer) -> Void
  private var frame: SampleBuffer
  private var position = 0

  init(
    _ stage: consuming Stage, _ speech: Speech, process: @escaping (inout Stage, inout SampleBuffer) -> Void
  ) {
    frame = SampleBuffer(repeating: 0, count: speech.sampleRate.hertz / 100)
    self.stage = stage
    self.speech = speech
    self.process = process
  }

  var checksum: UInt64? { nil }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      position = speech.copyFrame(at: position, into: &frame)
      let start = bench_now()
      process(&stage, &frame)
      times[call] = bench_now() - start
    }
  }
}

/// A jitter buffer with the decoder inside: what has arrived goes in, then 20 ms come out, as two blocks of 10 ms.
struct JitterBufferLoop: ~Copyable, MeasuredLoop {
  private var buffer: JitterBuffer
  private let payloads: Payloads
  private let lateness: (Int) -> Int64
  private var payload = ByteBuffer(repeating: 0, count: 1_500)
  private var block = SampleBuffer(repeating: 0, count: 480)
  private var packet = 0

  /// - Parameter lateness: of each packet, in milliseconds, 0...60.
  init(_ buffer: consuming JitterBuffer, _ payloads: Payloads, lateness: @escaping (Int) -> Int64) {
    self.buffer = buffer
    self.payloads = payloads
    self.lateness = lateness
  }

  var checksum: UInt64? { nil }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      let now = Int64(packet) * 20
      var took: Int64 = 0
      // What arrives in these 20 ms, in order of arrival.
      for arrival in now - 9...now + 10 {
        for number in max(0, packet - 3)...packet where Int64(number) * 20 + lateness(number) == arrival {
          let size = payloads.copyPayload(number % payloads.count, into: &payload)
          took += Self.insert(&buffer, payload, size, number, MediaInstant(nanoseconds: arrival * 1_000_000))
        }
      }
      for half in 1...2 as ClosedRange<Int64> {
        took += Self.play(&buffer, &block, MediaInstant(nanoseconds: (now + half * 10) * 1_000_000))
      }
      times[call] = took
      packet += 1
    }
  }

  private static func insert(
    _ buffer: inout JitterBuffer, _ payload: borrowing ByteBuffer, _ size: Int, _ number: Int, _ arrival: MediaInstant
  ) -> Int64 {
    let start = bench_now()
    _ = buffer.insert(
      payload.view(0..<size), sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: number)),
      timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: number * 960)), at: arrival)
    return bench_now() - start
  }

  private static func play(_ buffer: inout JitterBuffer, _ block: inout SampleBuffer, _ now: MediaInstant) -> Int64 {
    var span = block.mutableSpan
    let start = bench_now()
    buffer.playout(into: &span, at: now)
    return bench_now() - start
  }
}
