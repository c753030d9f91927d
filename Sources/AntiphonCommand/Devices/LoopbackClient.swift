import Antiphon

/// An engine that hears its own packets, driven by the sound devices.
final class LoopbackClient: DeviceClient, @unchecked Sendable {
  private var engine: MediaEngine
  private var datagram: ByteBuffer
  private let recorder: LoopbackRecorder

  init(_ settings: MediaEngineSettings, _ recorder: LoopbackRecorder) throws {
    engine = try MediaEngine(settings)
    datagram = ByteBuffer(repeating: 0, count: engine.maximumDatagramByteCount)
    self.recorder = recorder
  }

  /// After the devices have been stopped.
  var statistics: MediaStatistics { engine.statistics }
  /// After the devices have been stopped.
  var playoutDelayMilliseconds: Double { engine.playoutDelayMilliseconds }

  override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    recorder.noteCaptured(samples, at: moment)
    engine.capture(samples, at: moment.now)
    while true {
      switch Self.poll(&engine, into: &datagram, at: moment.now) {
      case .transmit(let byteCount): _ = Self.receive(datagram, byteCount, by: &engine, at: moment.now)
      case .event: continue
      case .wait: return
      }
    }
  }

  override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    engine.render(into: &samples, at: moment.now)
    recorder.noteRendered(&samples, at: moment)
  }

  private static func poll(
    _ engine: inout MediaEngine, into datagram: inout ByteBuffer, at now: MediaInstant
  ) -> MediaOutput {
    var target = datagram.mutableSpan
    return engine.poll(into: &target, at: now)
  }

  private static func receive(
    _ datagram: borrowing ByteBuffer, _ byteCount: Int, by engine: inout MediaEngine, at now: MediaInstant
  ) -> ReceiveOutcome {
    engine.receive(datagram.view(0..<byteCount), at: now)
  }
}

/// Keeps what came from the microphone and what went to the loudspeaker, in memory made beforehand, with the place of
/// both in time.
final class LoopbackRecorder {
  private var captured: SampleBuffer
  private var rendered: SampleBuffer
  private var capturedCount = 0
  private var renderedCount = 0
  // When sample 0 was at the microphone, and will be at the loudspeaker: means over all blocks, in nanoseconds.
  private var captureStart = Mean()
  private var renderStart = Mean()

  private struct Mean {
    var sum = 0.0
    var count = 0.0
    var value: Double { count > 0 ? sum / count : 0 }
  }

  init(seconds: Double) {
    captured = SampleBuffer(repeating: 0, count: Int(48_000 * seconds))
    rendered = SampleBuffer(repeating: 0, count: Int(48_000 * seconds))
  }

  func noteCaptured(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    let first = moment.now.nanoseconds - moment.latencyNanoseconds
    captureStart.sum += Double(first - SampleRate.hz48000.nanoseconds(sampleCount: capturedCount))
    captureStart.count += 1
    let count = min(samples.count, captured.count - capturedCount)
    for index in 0..<max(0, count) { captured[capturedCount + index] = samples[index] }
    capturedCount += max(0, count)
  }

  func noteRendered(_ samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    let first = moment.now.nanoseconds + moment.latencyNanoseconds
    renderStart.sum += Double(first - SampleRate.hz48000.nanoseconds(sampleCount: renderedCount))
    renderStart.count += 1
    let count = min(samples.count, rendered.count - renderedCount)
    for index in 0..<max(0, count) { rendered[renderedCount + index] = samples[index] }
    renderedCount += max(0, count)
  }

  /// After the devices have been stopped.
  var signals: (spoken: [Float], heard: [Float]) {
    ((0..<capturedCount).map { captured[$0] }, (0..<renderedCount).map { rendered[$0] })
  }

  /// How much later the loudspeaker's recording begins than the microphone's.
  var offsetMilliseconds: Double { (renderStart.value - captureStart.value) * 1e-6 }
}
