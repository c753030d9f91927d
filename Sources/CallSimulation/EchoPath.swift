internal import RealtimeCore
public import SignalProcessing

/// The way of sound from loudspeaker to microphone: a device's delay and a room's impulse response, applied block by
/// block by fast convolution (uniformly partitioned overlap-save, Stockham 1966), without a delay of its own.
public struct EchoPath: ~Copyable {
  /// Samples that `process` takes at once.
  public let blockSampleCount: Int

  private let delay: Int
  private var delayLine: SampleBuffer
  private var place = 0

  private var transform: PreferredRealFFT
  private let partitionCount: Int
  /// Spectra of the response's pieces, and of the newest blocks, the newest at `newest`.
  private var response: SampleBuffer
  private var history: SampleBuffer
  private var newest = 0
  private var input: SampleBuffer
  private var spectrum: SampleBuffer
  private var output: SampleBuffer

  /// - Parameters:
  ///   - impulseResponse: at the rate of the sound; the echo's level is the response's.
  ///   - delaySampleCount: what the devices add before the response begins.
  ///   - blockSampleCount: 10 ms of sound.
  public init(
    impulseResponse: [Float], delaySampleCount: Int, blockSampleCount: Int
  ) throws(SignalProcessingError) {
    precondition(blockSampleCount > 0 && delaySampleCount >= 0, "EchoPath: sizes are 1 or more, the delay 0 or more")
    self.blockSampleCount = blockSampleCount
    delay = delaySampleCount
    delayLine = SampleBuffer(repeating: 0, count: delaySampleCount + blockSampleCount)
    var length = 64
    while length < 2 * blockSampleCount { length *= 2 }
    transform = try PreferredRealFFT(length: length)
    input = SampleBuffer(repeating: 0, count: length)
    spectrum = SampleBuffer(repeating: 0, count: length + 2)
    output = SampleBuffer(repeating: 0, count: length)
    partitionCount = max(1, (impulseResponse.count + blockSampleCount - 1) / blockSampleCount)
    response = SampleBuffer(repeating: 0, count: partitionCount * (length + 2))
    history = SampleBuffer(repeating: 0, count: partitionCount * (length + 2))
    for partition in 0..<partitionCount {
      for index in 0..<length {
        let tap = partition * blockSampleCount + index
        input[index] = index < blockSampleCount && tap < impulseResponse.count ? impulseResponse[tap] : 0
      }
      transform.forward(input, into: &spectrum)
      response.copy(spectrum, to: partition * (length + 2))
    }
    input.fill(0..<length, with: 0)
  }

  /// Adds the echo of what the loudspeaker plays to what the microphone hears; both are one block.
  public mutating func process(loudspeaker: Span<Float>, addingTo microphone: inout MutableSpan<Float>) {
    let block = blockSampleCount
    precondition(loudspeaker.count == block && microphone.count == block, "EchoPath: give blocks of \(block) samples")
    let length = input.count
    let width = length + 2
    // The last `length` samples of delayed sound; the newest block stands at the end.
    input.move(block..<length, to: 0)
    for index in 0..<block {
      delayLine[(place + delay) % delayLine.count] = loudspeaker[index]
      input[length - block + index] = delayLine[place]
      place = (place + 1) % delayLine.count
    }
    transform.forward(input, into: &spectrum)
    newest = (newest + partitionCount - 1) % partitionCount
    history.copy(spectrum, to: newest * width)

    spectrum.fill(0..<width, with: 0)
    for partition in 0..<partitionCount {
      let past = (newest + partition) % partitionCount * width
      Self.add(history, past..<past + width, times: response, at: partition * width, to: &spectrum)
    }
    transform.inverse(spectrum, into: &output)
    // Only the last `block` samples are free of wrap-around, as the pieces of the response are that long.
    for index in 0..<block { microphone[index] += output[length - block + index] }
  }

  private static func add(
    _ sound: borrowing SampleBuffer, _ range: Range<Int>, times path: borrowing SampleBuffer, at start: Int,
    to spectrum: inout SampleBuffer
  ) {
    var sums = spectrum.mutableSpan
    Kernel.complexMultiplyAccumulate(sound.view(range), path.view(start..<start + range.count), into: &sums)
  }
}

extension RealFFT where Self: ~Copyable {
  mutating func forward(_ samples: borrowing SampleBuffer, into spectrum: inout SampleBuffer) {
    var bins = spectrum.mutableSpan
    forward(samples.view, into: &bins)
  }

  mutating func inverse(_ spectrum: borrowing SampleBuffer, into samples: inout SampleBuffer) {
    var block = samples.mutableSpan
    inverse(spectrum.view, into: &block)
  }
}
