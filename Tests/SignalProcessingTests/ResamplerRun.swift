import RealtimeCore
import SignalProcessing
import Testing
import TestSupport

/// Runs `input` through `resampler` in pieces of the given sizes, then drains it.
func resample(
  _ input: [Float], with resampler: inout Resampler, inputSizes: [Int] = [480], outputSizes: [Int] = [4_096]
) -> [Float] {
  var output: [Float] = []
  var (position, call) = (0, 0)
  var isDraining = false
  var fits = true
  while true {
    let room = outputSizes[call % outputSizes.count]
    let size = inputSizes[call % inputSizes.count]
    call += 1
    var block = [Float](repeating: .nan, count: room)
    var span = block.mutableSpan
    if !isDraining {
      let end = min(input.count, position + size)
      let piece = Array(input[position..<end])
      let progress = resampler.process(piece.span, into: &span)
      fits = fits && progress.produced <= resampler.maximumOutputSampleCount(forInput: piece.count)
      position += progress.consumed
      output += block[..<progress.produced]
      isDraining = position == input.count
    } else {
      let produced = resampler.drain(into: &span)
      if produced == 0 && room > 0 {
        #expect(fits, "a call gave more than maximumOutputSampleCount")
        return output
      }
      output += block[..<produced]
    }
  }
}

/// Every rate that sound is kept in.
private let rates: [SampleRate] = [
  .hz8000, .hz11025, .hz12000, .hz16000, .hz22050, .hz24000, .hz32000, .hz44100, .hz48000, .hz96000,
]
/// Two pairs that no ratio of small numbers joins.
private let unrelatedRates = [(48_000, 44_101), (8_009, 192_000)].compactMap { from, to -> (SampleRate, SampleRate)? in
  guard let from = try? SampleRate(hertz: from), let to = try? SampleRate(hertz: to) else { return nil }
  return (from, to)
}
/// All rates with all, and the unrelated ones.
let ratePairs = rates.flatMap { from in rates.map { (from, $0) } } + unrelatedRates
