import AudioDevices
import Foundation
import RealtimeCore
import Synchronization

/// Plays a tone, and counts what comes back of it.
final class ToneClient: DeviceClient, @unchecked Sendable {
  let hertz: Double
  let sampleRate: Double
  private var phase = 0.0
  private var sum = (real: 0.0, imaginary: 0.0)
  private var time = 0.0
  private var energy = 0.0
  let captured = Atomic<Int>(0)
  let rendered = Atomic<Int>(0)
  /// Full blocks of 100 ms in which the tone alone was heard, since the last look.
  let blocksWithTone = Atomic<Int>(0)
  let worstLatency = Atomic<Int>(0)

  init(hertz: Double, sampleRate: SampleRate = .hz48000) {
    self.hertz = hertz
    self.sampleRate = Double(sampleRate.hertz)
  }

  override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    for index in 0..<samples.count {
      samples[index] = Float(0.5 * sin(phase))
      phase += 2 * .pi * hertz / sampleRate
      if phase > 2 * .pi { phase -= 2 * .pi }
    }
    rendered.wrappingAdd(samples.count, ordering: .relaxed)
    worstLatency.max(Int(moment.latencyNanoseconds), ordering: .relaxed)
  }

  override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    for index in 0..<samples.count {
      let sample = Double(samples[index])
      sum.real += sample * cos(time)
      sum.imaginary += sample * sin(time)
      energy += sample * sample
      time += 2 * .pi * hertz / sampleRate
    }
    let before = captured.wrappingAdd(samples.count, ordering: .relaxed).oldValue
    let length = Int(sampleRate / 10)
    if (before + samples.count) / length > before / length {
      // By Parseval, all the energy of a block of a pure tone lies in its own bin.
      let tone = 2 * (sum.real * sum.real + sum.imaginary * sum.imaginary) / Double(length)
      if energy > 0.01 * Double(length), tone > 0.9 * energy { blocksWithTone.wrappingAdd(1, ordering: .relaxed) }
      sum = (0, 0)
      energy = 0
    }
  }
}
