import MediaEngine
import RealtimeCore
import TestSupport

/// An engine whose every call is made as on an audio thread: heap operations are counted, and the real-time sanitizer
/// watches where it is linked.
struct WatchedEngine: ~Copyable {
  private var engine: MediaEngine
  private var loudspeaker: SampleBuffer
  private var datagram = ByteBuffer(repeating: 0, count: 8_192)
  /// Heap operations of all calls so far; stays 0 where a sanitizer hides them.
  private(set) var heapOperationCount = 0
  private(set) var callCount = 0

  init(_ settings: MediaEngineSettings) throws {
    let engine = try MediaEngine(settings)
    self.engine = engine
    loudspeaker = SampleBuffer(repeating: 0, count: settings.renderRate.hertz / 100)
  }

  mutating func capture(_ block: borrowing SampleBuffer, at now: MediaInstant) {
    let operations = heapOperations { onRealtimePath { engine.capture(block.view, at: now) } }
    note(operations)
  }

  /// Renders 10 ms; returns the power of what was rendered.
  mutating func render(at now: MediaInstant) -> Float {
    let operations = heapOperations { onRealtimePath { engine.render(into: &loudspeaker, at: now) } }
    note(operations)
    return (0..<loudspeaker.count).reduce(0) { $0 + loudspeaker[$1] * loudspeaker[$1] }
  }

  mutating func receive(_ bytes: [UInt8], at now: MediaInstant) {
    let operations = heapOperations { onRealtimePath { _ = engine.receive(bytes.span, at: now) } }
    note(operations)
  }

  /// The next datagram; `nil` when nothing waits.
  mutating func poll(at now: MediaInstant) -> [UInt8]? {
    while true {
      var output = MediaOutput.wait
      let operations = heapOperations { onRealtimePath { output = engine.poll(into: &datagram, at: now) } }
      note(operations)
      switch output {
      case .transmit(let byteCount): return (0..<byteCount).map { datagram[$0] }
      case .event: continue
      case .wait: return nil
      }
    }
  }

  /// The sequence numbers that the engine wants again.
  mutating func requests(at now: MediaInstant) -> [UInt16] {
    var count = 0
    var room = [UInt16](repeating: 0, count: 16)
    var numbers = room.mutableSpan
    let operations = heapOperations {
      onRealtimePath {
        count = engine.retransmissionRequests(into: &numbers, roundTripNanoseconds: 40_000_000, at: now)
      }
    }
    note(operations)
    return Array(room.prefix(count))
  }

  /// What else may be called on the engine's thread.
  mutating func look(tick: Int) -> Float {
    var sum: Float = 0
    let operations = heapOperations {
      onRealtimePath {
        let statistics = engine.statistics
        sum = engine.captureLevel(1) + engine.renderLevel(1) + Float(statistics.inboundRTP.jitter)
        sum += Float(engine.targetDelayMilliseconds + engine.playoutDelayMilliseconds)
        sum += engine.playoutPosition == nil ? 0 : 1
        sum += Float(statistics.remoteInboundRTP.roundTripTime ?? 0)
        engine.isMuted = tick % 1_000 > 900
        if tick % 700 == 699 { engine.flush() }
        if tick % 300 == 299, engine.settings.control != nil { _ = engine.pressKey(5) }
        if tick % 500 == 499 {
          engine.setBitrate(tick % 1_000 == 499 ? 16_000 : 32_000)
          engine.setExpectedPacketLoss(tick % 1_000 == 499 ? 10 : 0)
          engine.echoDelayMilliseconds = tick % 1_000 == 499 ? 20 : 0
        }
      }
    }
    note(operations)
    return sum
  }

  var statistics: MediaStatistics { engine.statistics }

  private mutating func note(_ operations: Int?) {
    heapOperationCount += operations ?? 0
    callCount += 1
  }
}
