import AudioFiles
import Foundation
import RealtimeCore
import Rivals
import SignalProcessing

/// Recorded speech as the input of a loop: real signals, since codecs and echo cancellers work less on silence.
final class Speech: Sendable {
  let samples: [Float]
  let sampleRate: SampleRate
  var count: Int { samples.count }

  /// A file of the repository's test speech, at the rate wanted.
  init(_ file: String, at sampleRate: SampleRate) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let path = folder.appendingPathComponent("../../../testdata/speech/\(file)").standardizedFileURL.path
    var reader = try AudioFileReader(path: path)
    let original = try reader.readRemainingMono()
    var resampler = try Resampler(from: reader.format.sampleRate, to: sampleRate, skipsLatency: true)
    var buffer = SampleBuffer(repeating: 0, count: resampler.maximumOutputSampleCount(forInput: original.count))
    var target = buffer.mutableSpan
    let made = resampler.process(original.span, into: &target).produced
    var rest = target.part(made..<target.count)
    _ = resampler.drain(into: &rest)
    samples = (0..<buffer.count).map { buffer[$0] }
    self.sampleRate = sampleRate
  }

  /// What a microphone hears: this voice, and another's echo 40 ms late and 12 dB down.
  init(_ voice: Speech, withEchoOf farEnd: Speech) {
    sampleRate = voice.sampleRate
    let delay = sampleRate.sampleCount(milliseconds: 40)
    samples = (0..<min(voice.count, farEnd.count)).map { index in
      let echo = index < delay ? 0 : farEnd.samples[index - delay] * 0.25
      return max(-1, min(1, voice.samples[index] * 0.5 + echo))
    }
  }

  /// Fills `frame` with what follows `position`, or with the beginning when less than a frame follows.
  /// - Returns: the position after it.
  func copyFrame(at position: Int, into frame: inout SampleBuffer) -> Int {
    let start = position + frame.count > count ? 0 : position
    for index in 0..<frame.count { frame[index] = samples[start + index] }
    return start + frame.count
  }
}

extension FixedBuffer {
  /// The checksum of these and the elements before; see `bench_checksum`.
  func checksum(of count: Int, after sum: UInt64) -> UInt64 {
    unsafe bench_checksum(sum, mutablePointer, count * MemoryLayout<Element>.stride)
  }
}
