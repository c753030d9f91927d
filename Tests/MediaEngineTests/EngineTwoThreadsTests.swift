import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// An engine on a thread of its own between two busy device threads and a transport thread, joined by rings only.
/// Run it under the thread sanitizer: `Scripts/test threads`.
@Suite struct EngineTwoThreadsTests {
  @Test func devicesEngineAndTransportShareOnlyRings() throws {
    let blockCount = 300
    let capture = SampleRing(minimumCapacity: 4_800)
    let render = SampleRing(minimumCapacity: 4_800)
    let outgoing = PacketRing(packetCapacity: 64)
    let incoming = PacketRing(packetCapacity: 64)
    let statistics = LatestValue(try MediaEngine(.unprocessed).statistics)
    let mute = LatestValue(false)

    let driver = Carrier(
      EngineDriver(
        engine: try MediaEngine(.voiceAgent), microphone: capture.reader, loudspeaker: render.writer,
        outgoing: outgoing.writer, incoming: incoming.reader, statistics: statistics.publisher, mute: mute.observer))
    let engineThread = RunningThread {
      var driver = driver.take()
      var done = 0
      while done < blockCount { if driver.step() { done += 1 } else { sched_yield() } }
      return driver.datagramCount > 0
    }
    let microphone = Carrier(capture.writer)
    let voice = try speech("mic", at: .hz48000)
    let captureThread = RunningThread {
      var writer = microphone.take()
      for tick in 0..<blockCount {
        let block = voice.block(tick: tick, rate: .hz48000)
        while writer.freeCount < block.count { sched_yield() }
        _ = writer.write(block.span)
      }
      return writer.overflowCount == 0
    }
    let loudspeaker = Carrier(render.reader)
    let renderThread = RunningThread {
      var reader = loudspeaker.take()
      var block = SampleBuffer(repeating: 0, count: 480)
      var (played, isFinite) = (0, true)
      while played < blockCount * 480 {
        var span = block.mutableSpan
        let count = reader.read(into: &span)
        for index in 0..<count where !block[index].isFinite { isFinite = false }
        played += count
        if count == 0 { sched_yield() }
      }
      return isFinite
    }
    // This thread is the transport: what the engine sends comes back to it, and it looks at the statistics.
    var sent = outgoing.reader
    var received = incoming.writer
    var observer = statistics.observer
    var publisher = mute.publisher
    var looped = 0
    while looped < blockCount / 2 - 1 {
      guard sent.frontArrival() != nil else {
        _ = observer.latest()
        publisher.publish(looped % 50 == 49)
        sched_yield()
        continue
      }
      _ = received.write(sent.front(), at: MediaInstant(milliseconds: Double(20 * looped)))
      sent.removeFront()
      looped += 1
    }
    let threadsAgree = [engineThread.join(), captureThread.join(), renderThread.join()]
    #expect(threadsAgree == [true, true, true])
    let last = observer.latest()
    #expect(last.outboundRTP.packetsSent >= blockCount / 2 - 1)
    #expect(last.inboundRTP.packetsReceived > 0)
  }
}

/// What an engine's thread does every 10 ms: microphone ring to engine to loudspeaker ring, packets likewise.
private struct EngineDriver: ~Copyable, Sendable {
  private var engine: MediaEngine
  private var microphone: SampleRing.Reader
  private var loudspeaker: SampleRing.Writer
  private var outgoing: PacketRing.Writer
  private var incoming: PacketRing.Reader
  private var statistics: LatestValue<MediaStatistics>.Publisher
  private var mute: LatestValue<Bool>.Observer
  private var block = SampleBuffer(repeating: 0, count: 480)
  private var datagram = ByteBuffer(repeating: 0, count: 1_500)
  private var now = MediaInstant.zero
  private(set) var datagramCount = 0

  init(
    engine: consuming MediaEngine, microphone: consuming SampleRing.Reader, loudspeaker: consuming SampleRing.Writer,
    outgoing: consuming PacketRing.Writer, incoming: consuming PacketRing.Reader,
    statistics: consuming LatestValue<MediaStatistics>.Publisher, mute: consuming LatestValue<Bool>.Observer
  ) {
    self.engine = engine
    self.microphone = microphone
    self.loudspeaker = loudspeaker
    self.outgoing = outgoing
    self.incoming = incoming
    self.statistics = statistics
    self.mute = mute
  }

  /// Does 10 ms of work; `false` when microphone or loudspeaker are not ready for it.
  mutating func step() -> Bool {
    guard microphone.availableCount >= 480, loudspeaker.freeCount >= 480 else { return false }
    while incoming.frontArrival() != nil { Self.receive(&incoming, by: &engine, at: now) }
    engine.isMuted = mute.latest()
    engine.render(into: &block, at: now)
    Self.write(block, to: &loudspeaker)
    Self.read(&microphone, into: &block)
    engine.capture(block, at: now)
    while case .transmit(let byteCount) = engine.poll(into: &datagram, at: now) {
      Self.write(datagram, byteCount, to: &outgoing, at: now)
      datagramCount += 1
    }
    statistics.publish(engine.statistics)
    now = now.advanced(byMilliseconds: 10)
    return true
  }

  // A span of one stored property borrows all of `self`, so the parts are handed over one by one.

  private static func receive(_ incoming: inout PacketRing.Reader, by engine: inout MediaEngine, at now: MediaInstant) {
    engine.receive(incoming.front(), at: now)
    incoming.removeFront()
  }

  private static func write(_ block: borrowing SampleBuffer, to loudspeaker: inout SampleRing.Writer) {
    _ = loudspeaker.write(block.view)
  }

  private static func read(_ microphone: inout SampleRing.Reader, into block: inout SampleBuffer) {
    var samples = block.mutableSpan
    _ = microphone.read(into: &samples)
  }

  private static func write(
    _ datagram: borrowing ByteBuffer, _ byteCount: Int, to outgoing: inout PacketRing.Writer, at now: MediaInstant
  ) {
    _ = outgoing.write(datagram.view(0..<byteCount), at: now)
  }
}
