import Foundation
import MediaEngine
import RTPTransport
import RealtimeCore
import Rivals

/// The microphone's whole way to the wire, 20 ms a call: echo canceller, noise suppressor, gain, voice activity, band
/// levels, Opus, RTP and SRTP. Beside it WebRTC's processing with Opus, where `Scripts/bench` could build that.
func capturePathRows(_ options: Options) throws -> [Row] {
  let microphone = try Speech("mic.wav", at: .hz48000)
  let agent = try Speech("agent.wav", at: .hz48000)
  let capture = try EngineLoop(microphone, agent, timed: .capture)
  let both = try EngineLoop(microphone, agent, timed: .bothDirections)
  var captureContenders: [any Contender] = [Entrant("Antiphon, SRTP included", capture)]
  if let program = ProcessInfo.processInfo.environment["BENCH_WEBRTC"] {
    let nearEnd = Speech(microphone, withEchoOf: agent)
    captureContenders.append(
      Entrant("WebRTC AEC3 + NS + AGC2, Opus", try ProgramLoop(program, nearEnd: nearEnd, farEnd: agent)))
  }
  let contests = [
    Contest(task: "capture path, 20 ms", millisecondsOfAudio: 20, contenders: captureContenders),
    Contest(
      task: "whole engine, both directions, 20 ms", millisecondsOfAudio: 20,
      contenders: [Entrant("Antiphon, SRTP included", both)]),
  ]
  return contests.flatMap {
    $0.rows(.path, rounds: options.isQuick ? 3 : 11, audioPerRound: options.isQuick ? 2_000 : 8_000)
  }
}

/// A call between two engines on virtual time; the caller's end is timed.
///
/// The microphone hears the user, and what the loudspeaker played 40 ms before, 12 dB down.
struct EngineLoop: ~Copyable, MeasuredLoop {
  enum Timed {
    /// What `capture` and `poll` take; rendering runs in between, untimed.
    case capture
    /// `receive` and `render` as well.
    case bothDirections
  }

  private var engine: MediaEngine
  private var agent: MediaEngine
  private let userVoice: Speech
  private let agentVoice: Speech
  private let timed: Timed
  private var userFrame = SampleBuffer(repeating: 0, count: 480)
  private var agentFrame = SampleBuffer(repeating: 0, count: 960)
  private var played = SampleBuffer(repeating: 0, count: 480)
  /// The last 40 ms that were played, oldest first.
  private var echo = SampleBuffer(repeating: 0, count: 1_920)
  private var datagram = ByteBuffer(repeating: 0, count: 1_500)
  private var userPosition = 0
  private var agentPosition = 0
  private var now = MediaInstant.zero

  init(_ userVoice: Speech, _ agentVoice: Speech, timed: Timed) throws {
    let keys = try [1, 2].map { seed in
      try SRTPKey(.aes128CounterModeSHA1x80, keyAndSalt: (0..<30).map { UInt8($0 * 5 + seed) })
    }
    var settings = MediaEngineSettings.voiceAgent
    settings.security = MediaEngineSettings.Security(send: keys[0], receive: keys[1])
    settings.remoteSSRC = 2
    settings.stream.ssrc = 1
    var agentSettings = MediaEngineSettings.unprocessed
    agentSettings.security = MediaEngineSettings.Security(send: keys[1], receive: keys[0])
    agentSettings.remoteSSRC = 1
    agentSettings.stream.ssrc = 2
    let engine = try MediaEngine(settings)
    let agent = try MediaEngine(agentSettings)
    self.engine = engine
    self.agent = agent
    self.userVoice = userVoice
    self.agentVoice = agentVoice
    self.timed = timed
  }

  var checksum: UInt64? { nil }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      var rendering: Int64 = 0
      var capturing: Int64 = 0
      agentPosition = agentVoice.copyFrame(at: agentPosition, into: &agentFrame)
      agent.capture(agentFrame, at: now)
      while case .transmit(let size) = agent.poll(into: &datagram, at: now) {
        rendering += Self.receive(&engine, datagram, size, now)
      }
      for _ in 0..<2 {
        let start = bench_now()
        engine.render(into: &played, at: now)
        let middle = bench_now()
        userPosition = userVoice.copyFrame(at: userPosition, into: &userFrame)
        Self.addEcho(to: &userFrame, of: played, &echo)
        let restart = bench_now()
        engine.capture(userFrame, at: now)
        capturing += bench_now() - restart
        rendering += middle - start
        now = now.advanced(byMilliseconds: 10)
      }
      let start = bench_now()
      var output = engine.poll(into: &datagram, at: now)
      capturing += bench_now() - start
      while output != .wait { output = engine.poll(into: &datagram, at: now) }
      times[call] = timed == .capture ? capturing : capturing + rendering
    }
  }

  // Views of a stored property borrow all of `self`, so the parts are handed over one by one.

  private static func receive(
    _ engine: inout MediaEngine, _ datagram: borrowing ByteBuffer, _ size: Int, _ now: MediaInstant
  ) -> Int64 {
    let start = bench_now()
    engine.receive(datagram.view(0..<size), at: now)
    return bench_now() - start
  }

  private static func addEcho(
    to frame: inout SampleBuffer, of played: borrowing SampleBuffer, _ echo: inout SampleBuffer
  ) {
    for index in 0..<frame.count { frame[index] = 0.5 * frame[index] + 0.25 * echo[index] }
    echo.move(played.count..<echo.count, to: 0)
    echo.copy(played.view, to: echo.count - played.count)
  }
}
