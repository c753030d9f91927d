internal import CKernels
internal import RealtimeCore

/// The canceller's own inner loops, in the version for this processor.
enum EchoKernel {
  /// One partition's part in the echo's spectrum and in the power expected of its error.
  @_noLocks
  static func predict(
    echo: inout SampleBuffer, error: inout SampleBuffer, response: borrowing SampleBuffer,
    uncertainty: borrowing SampleBuffer, partition: Int, from farEnd: borrowing FarEndHistory, blocksAgo: Int
  ) {
    let (width, powerWidth) = (EchoBlock.spectrumStride, EchoBlock.powerStride)
    precondition(echo.count == width && error.count == powerWidth)
    let h = response.view(partition &* width..<(partition &+ 1) &* width)
    let p = uncertainty.view(partition &* powerWidth..<(partition &+ 1) &* powerWidth)
    unsafe antiphon_kalman_predict(
      echo.mutablePointer, error.mutablePointer, h.pointer, farEnd.spectrum(blocksAgo: blocksAgo).pointer, p.pointer,
      farEnd.power(blocksAgo: blocksAgo).pointer, powerWidth)
  }

  /// Moves one partition along the Kalman gain and renews its uncertainty.
  @_noLocks
  static func update(
    _ constants: antiphon_kalman_constants, response: inout SampleBuffer, uncertainty: inout SampleBuffer,
    partition: Int, from farEnd: borrowing FarEndHistory, blocksAgo: Int, innovation: borrowing SampleBuffer,
    inverse: borrowing SampleBuffer
  ) {
    let (width, powerWidth) = (EchoBlock.spectrumStride, EchoBlock.powerStride)
    precondition(innovation.count == width && inverse.count == powerWidth)
    var constants = constants
    var h = response.mutableSpan(partition &* width..<(partition &+ 1) &* width)
    var p = uncertainty.mutableSpan(partition &* powerWidth..<(partition &+ 1) &* powerWidth)
    unsafe antiphon_kalman_update(
      &constants, h.mutablePointer, p.mutablePointer, farEnd.spectrum(blocksAgo: blocksAgo).pointer,
      farEnd.power(blocksAgo: blocksAgo).pointer, innovation.view.pointer, inverse.view.pointer, powerWidth)
  }

  /// y = bias + weights · x for every lane; the weights lie at `weightsAt`, outputs × inputs, the bias at `biasAt`.
  @_noLocks
  static func denseLayer(
    _ x: borrowing SampleBuffer, inputs: Int, parameters: borrowing SampleBuffer, weightsAt: Int, biasAt: Int,
    into y: inout SampleBuffer, outputs: Int, lanes: Int
  ) {
    precondition(x.count >= inputs &* lanes && y.count >= outputs &* lanes)
    let weights = parameters.view(weightsAt..<weightsAt &+ inputs &* outputs)
    let bias = parameters.view(biasAt..<biasAt &+ outputs)
    unsafe antiphon_dense_layer(
      y.mutablePointer, weights.pointer, bias.pointer, x.view.pointer, lanes, inputs, outputs)
  }

  /// x = 1 / (1 + exp(-gain · x)) over a range.
  @_noLocks
  static func logistic(_ x: inout SampleBuffer, _ range: Range<Int>, gain: Float = 1) {
    var part = x.mutableSpan(range)
    let count = part.count
    unsafe antiphon_logistic(part.mutablePointer, gain, count)
  }
}
