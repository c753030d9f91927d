import EchoControl
import RTPTransport
import RealtimeCore
import Rivals
import SignalProcessing

/// The stages that wrap a C library beside the same loop in C.
func stageRows(_ options: Options) throws -> [Row] {
  // First, since our SRTP replaces libsrtp's ciphers for the whole process, and sessions keep those they began with.
  var contests = try srtpContests()
  contests += try resamplerContests()
  contests += try suppressionContests()
  contests += try transformContests()
  return contests.flatMap {
    $0.rows(.stages, rounds: options.isQuick ? 3 : 11, audioPerRound: options.isQuick ? 1_000 : 8_000)
  }
}

/// Packets of 20 ms at 32 kbit/s: 80 bytes of payload.
private func srtpContests() throws -> [Contest] {
  let payloadByteCount = 80
  let ssrc: UInt32 = 0x1234_5678
  let profiles: [(SRTPProfile, RivalSRTPProfile)] = [
    (.aes128CounterModeSHA1x80, RIVAL_AES_CM_128_HMAC_SHA1_80), (.aes128GCM, RIVAL_AEAD_AES_128_GCM),
  ]
  let tasks = profiles.flatMap { [($0.0, $0.1, SRTPLoop.Timed.protecting), ($0.0, $0.1, .unprotecting)] }
  let keys = tasks.map { (0..<UInt8($0.0.keyByteCount + $0.0.saltByteCount)).map { $0 &* 7 &+ 1 } }
  let rivals = zip(tasks, keys).map { task, key -> Entrant<RivalSRTPLoop>? in
    let loop = RivalSRTPLoop(task.1, key: key, ssrc: ssrc, payloadByteCount: payloadByteCount, timed: task.2)
    guard let loop else { return nil }
    return Entrant("libsrtp2 in C", loop)
  }
  return try zip(zip(tasks, keys), rivals).map { ours, rival in
    let (task, key) = ours
    let loop = try SRTPLoop(
      SRTPKey(task.0, keyAndSalt: key), ssrc: ssrc, payloadByteCount: payloadByteCount, timed: task.2)
    let verb = task.2 == .protecting ? "protect" : "unprotect"
    let rivals: [any Contender] = rival.map { [$0] } ?? []
    return Contest(
      task: "SRTP \(verb), \(task.0.sdpName)", millisecondsOfAudio: 20,
      contenders: [Entrant("Antiphon", loop)] + rivals)
  }
}

private func resamplerContests() throws -> [Contest] {
  let pairs: [(SampleRate, SampleRate)] = [
    (.hz48000, .hz16000), (.hz16000, .hz48000), (.hz44100, .hz48000), (.hz48000, .hz24000), (.hz48000, .hz8000),
  ]
  // SpeexDSP's level with the same latency, or the next longer one.
  let qualities: [(Resampler.Quality, Int)] = [(.low, 3), (.medium, 5), (.high, 10)]
  return try pairs.flatMap { from, to in
    let speech = try Speech("mic.wav", at: from)
    return try qualities.map { quality, speexQuality in
      let loop = ResamplerLoop(try Resampler(from: from, to: to, quality: quality), speech)
      return Contest(
        task: "resample 10 ms, \(from.hertz) to \(to.hertz) Hz, \(quality)", millisecondsOfAudio: 10,
        contenders: [
          Entrant("Antiphon", loop),
          Entrant("SpeexDSP \(speexQuality) in C", RivalResamplerLoop(speech, to: to, speexQuality: speexQuality)),
        ])
    }
  }
}

private func suppressionContests() throws -> [Contest] {
  try [SampleRate.hz16000, .hz48000].flatMap { rate in
    let voice = try Speech("mic.wav", at: rate)
    let farEnd = try Speech("agent.wav", at: rate)
    let nearEnd = Speech(voice, withEchoOf: farEnd)
    var settings = EchoSettings()
    settings.tailMilliseconds = 200
    let canceller = try EchoCanceller(sampleRate: rate, settings: settings)
    let suppressor = try NoiseSuppressor(sampleRate: rate, maximumAttenuation: 15)
    return [
      Contest(
        task: "cancel echo 10 ms, \(rate.hertz) Hz, tail 200 ms", millisecondsOfAudio: 10,
        contenders: [
          Entrant("Antiphon", EchoLoop(canceller, nearEnd: nearEnd, farEnd: farEnd)),
          Entrant("SpeexDSP in C", RivalEchoLoop(nearEnd: nearEnd, farEnd: farEnd, tailMilliseconds: 200)),
        ]),
      Contest(
        task: "suppress noise 10 ms, \(rate.hertz) Hz", millisecondsOfAudio: 10,
        contenders: [
          Entrant("Antiphon", NoiseSuppressorLoop(suppressor, voice)),
          Entrant("SpeexDSP in C", RivalPreprocessorLoop(voice, noiseAttenuation: 15)),
        ]),
    ]
  }
}

/// Windows at 48 kHz; times are means of 16 calls, since one takes hardly longer than a clock reading. The real time is
/// that of windows that overlap by half.
private func transformContests() throws -> [Contest] {
  let calls = 16
  let speech = try Speech("mic.wav", at: .hz48000)
  return try [256, 512, 1_024, 2_048].flatMap { length in
    try [false, true].map { goesBack in
      let rival = RivalTransformLoop(length: length, speech, goesBack: goesBack, callsPerReading: calls)
      let fftw = TransformLoop(
        try FFTWRealFFT(length: length), speech, goesBack: goesBack, callsPerReading: calls)
      let own = TransformLoop(
        try SplitRadixRealFFT(length: length), speech, goesBack: goesBack, callsPerReading: calls)
      return Contest(
        task: "FFT \(length)\(goesBack ? ", forward and back" : ", forward")",
        millisecondsOfAudio: Double(length) / 96, callsPerReading: calls,
        contenders: [
          Entrant("Antiphon on FFTW", fftw), Entrant("FFTW in C", rival), Entrant("Antiphon's own", own),
        ])
    }
  }
}
