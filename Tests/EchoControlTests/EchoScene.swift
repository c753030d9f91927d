import Foundation
import RealtimeCore
import SignalProcessing
import TestSupport

/// A loudspeaker and a microphone in one room: what each hears, at 16 kHz.
struct EchoScene {
  /// What the loudspeaker plays.
  let farEnd: [Float]
  /// The local talker alone, at the microphone.
  let nearEnd: [Float]
  /// What comes from the loudspeaker to the microphone.
  let echo: [Float]

  /// The microphone's signal.
  var microphone: [Float] { zip(nearEnd, echo).map { $0 + $1 } }

  /// - Parameters:
  ///   - nearStart: when the local talker begins, in seconds; `nil`: never.
  ///   - delayMilliseconds: what devices add before the echo arrives.
  init(seconds: Int, nearStart: Int?, delayMilliseconds: Int = 0) throws {
    let rate = 16_000
    let count = seconds * rate
    let far = try Recording("speech/agent.wav").samples
    let near = try Recording("speech/mic.wav").samples
    farEnd = (0..<count).map { far[$0 % far.count] }
    nearEnd = (0..<count).map { index in
      guard let nearStart, index >= nearStart * rate else { return 0 }
      return near[(index - nearStart * rate) % near.count]
    }
    echo = Self.convolve(farEnd, try Self.room(), delay: delayMilliseconds * rate / 1_000)
  }

  /// The room's response at 16 kHz, 150 ms of it: every third sample of the mean of three, a crude low-pass that is a
  /// room response of its own.
  private static func room() throws -> [Float] {
    let fine = try Recording("rooms/room.wav").samples
    return stride(from: 0, to: min(fine.count - 2, 7_200), by: 3).map { fine[$0] + fine[$0 + 1] + fine[$0 + 2] }
  }

  private static func convolve(_ signal: [Float], _ response: [Float], delay: Int) -> [Float] {
    // Each output sample is the dot product of the reversed response with the signal up to there.
    let lead = response.count - 1 + delay
    var padded = SampleBuffer(repeating: 0, count: lead + signal.count)
    for index in signal.indices { padded[lead + index] = signal[index] }
    var reversed = SampleBuffer(repeating: 0, count: response.count)
    for index in response.indices { reversed[response.count - 1 - index] = response[index] }
    return signal.indices.map { Kernel.dot(reversed.view, padded.view($0..<$0 + response.count)) }
  }
}
