import Antiphon
import Foundation

/// One call of many: an engine and its socket.
final class ServedCall {
  /// When its next 20 ms are due.
  private(set) var due: MediaInstant
  private var engine: MediaEngine
  let socket: UDPSocket
  private let speech: SpeechLoop
  private var frame: Int
  private var heard = SampleBuffer(repeating: 0, count: 960)
  private var datagram = ByteBuffer(repeating: 0, count: 1_500)

  static let frameNanoseconds: Int64 = 20_000_000

  init(
    _ number: Int, _ settings: MediaEngineSettings, _ socket: consuming UDPSocket, _ speech: SpeechLoop,
    due: MediaInstant
  ) throws {
    engine = try MediaEngine(settings)
    self.socket = socket
    self.speech = speech
    self.due = due
    frame = number * 37
  }

  /// Takes what has come.
  func receive() {
    let now = EventLoop.now
    while let count = Self.receive(socket, into: &datagram) {
      Self.hand(datagram, count, to: &engine, at: now)
    }
  }

  /// Plays and speaks 20 ms, which are due.
  func turn() {
    let now = EventLoop.now
    engine.render(into: &heard, at: now)
    speech.speak(frame, to: &engine, at: now)
    frame += 1
    due = due.advanced(byNanoseconds: Self.frameNanoseconds)
    while case .transmit(let count) = engine.poll(into: &datagram, at: now) { Self.send(datagram, count, by: socket) }
  }

  struct Counts {
    var decoded = 0
    var concealed = 0
    /// Seconds of what was played, and the power over them summed.
    var duration = 0.0
    var energy = 0.0

    mutating func add(_ other: Counts) {
      decoded += other.decoded
      concealed += other.concealed
      energy += other.energy
      duration += other.duration
    }

    var json: String {
      let meanSquare = energy / max(1e-9, duration) * 32_768 * 32_768
      return "{\"decoded\":\(decoded),\"concealed\":\(concealed),\"mean_square\":\(Int(meanSquare.rounded()))}"
    }
  }

  var counts: Counts {
    let inbound = engine.statistics.inboundRTP
    return Counts(
      decoded: inbound.jitterBufferEmittedCount / 960, concealed: inbound.concealedSamples / 960,
      duration: inbound.totalSamplesDuration, energy: inbound.totalAudioEnergy)
  }

  // In a class, a view of one stored property borrows all: the parts are handed over one by one.

  private static func receive(_ socket: borrowing UDPSocket, into datagram: inout ByteBuffer) -> Int? {
    var bytes = datagram.mutableSpan
    return socket.receive(into: &bytes)
  }

  private static func hand(
    _ datagram: borrowing ByteBuffer, _ count: Int, to engine: inout MediaEngine, at now: MediaInstant
  ) {
    engine.receive(datagram.view(0..<min(count, datagram.count)), at: now)
  }

  private static func send(_ datagram: borrowing ByteBuffer, _ count: Int, by socket: borrowing UDPSocket) {
    socket.send(datagram.view(0..<count))
  }
}

/// What all calls say: one recording, shared.
final class SpeechLoop {
  private let samples: SampleBuffer
  private let frameCount: Int

  init(_ source: inout AudioSource) throws {
    var all: [Float] = []
    var block = [Float](repeating: 0, count: 48_000)
    while true {
      var span = block.mutableSpan
      let count = try source.next(into: &span)
      all += block[..<count]
      if count < 48_000 { break }
    }
    guard all.count >= 960 else { throw CommandFailure("the source is shorter than a frame of 20 ms; give speech") }
    var buffer = SampleBuffer(repeating: 0, count: all.count)
    for (index, sample) in all.enumerated() { buffer[index] = sample }
    samples = buffer
    frameCount = all.count / 960
  }

  /// Gives frame `number`, round and round, to an engine's microphone.
  func speak(_ number: Int, to engine: inout MediaEngine, at now: MediaInstant) {
    let start = number % frameCount * 960
    Self.speak(samples, start, to: &engine, at: now)
  }

  private static func speak(
    _ samples: borrowing SampleBuffer, _ start: Int, to engine: inout MediaEngine, at now: MediaInstant
  ) {
    engine.capture(samples.view(start..<start + 960), at: now)
  }
}
