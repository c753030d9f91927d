import Antiphon
import Foundation

/// What is kept of a run of the echo canceller: sums, a series in bounded memory and, for a report, the first signals.
struct EchoRecord {
  /// Seconds of each signal that the report shows.
  static let shownSeconds = 120

  let sampleRate: SampleRate
  private let keepsSignals: Bool
  private(set) var far: [Float] = []
  private(set) var near: [Float] = []
  private(set) var output: [Float] = []
  private(set) var enhancement = SeriesRecorder(intervalSeconds: 0.01)
  private(set) var frameCount = 0
  private var nearEnergy = 0.0
  private var outputEnergy = 0.0
  private var farIsActive = false
  private var activeFrameCount = 0

  /// Far-end frames above -50 dBFS count as speech. A choice.
  private static let activePower = 1e-5

  init(sampleRate: SampleRate, keepsSignals: Bool) {
    self.sampleRate = sampleRate
    self.keepsSignals = keepsSignals
  }

  var seconds: Double { Double(frameCount) / 100 }

  /// Microphone over output while the far end speaks, over the whole recording, in dB; `nil` where it never spoke.
  var meanEnhancement: Double? {
    nearEnergy > 0 ? 10 * log10(nearEnergy / max(outputEnergy, 1e-20)) : nil
  }

  /// The most that was taken away over one second while the far end spoke, in dB; `nil` where it spoke for less.
  private(set) var bestEnhancement: Double?

  mutating func noteInputs(far farFrame: borrowing SampleBuffer, near nearFrame: borrowing SampleBuffer) {
    farIsActive = farFrame.energy / Double(farFrame.count) > Self.activePower
    if farIsActive { nearEnergy += nearFrame.energy }
    if keeps {
      far.append(farFrame)
      near.append(nearFrame)
    }
  }

  mutating func noteOutput(_ frame: borrowing SampleBuffer, metrics: EchoMetrics) {
    if farIsActive {
      outputEnergy += frame.energy
      activeFrameCount += 1
      // The figure's own memory is a second; before that it tells of less.
      if activeFrameCount >= 100 {
        bestEnhancement = max(bestEnhancement ?? 0, Double(metrics.echoReturnLossEnhancement))
      }
    }
    if keeps { output.append(frame) }
    if keepsSignals { enhancement.append(Double(metrics.echoReturnLossEnhancement)) }
    frameCount += 1
  }

  private var keeps: Bool { keepsSignals && frameCount < Self.shownSeconds * 100 }
}

extension SampleBuffer {
  /// Sum of squares.
  var energy: Double {
    var sum: Float = 0
    for index in 0..<count where self[index].isFinite { sum += self[index] * self[index] }
    return Double(sum)
  }

  /// The next samples of `source`, to the front; returns how many.
  fileprivate mutating func fill(from source: inout AudioSource) throws -> Int {
    var samples = mutableSpan
    return try source.next(into: &samples)
  }
}

extension AudioSource {
  /// Fills `block` from its front; returns how many samples there were.
  mutating func next(into block: inout SampleBuffer) throws -> Int { try block.fill(from: &self) }
}

extension [Float] {
  mutating func append(_ block: borrowing SampleBuffer) {
    unsafe block.span.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}
