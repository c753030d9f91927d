internal import CKernels
internal import RealtimeCore

/// How much of each band to keep: a small recurrent network, the same for every band, trained on rooms that we made.
///
/// 24 measures → 16 (tanh) → gated recurrent unit of 16 → 1 (logistic). 2,100 parameters, all bands at once in vectors.
/// The output is the kept magnitude to the power 0.3, which makes the training's squared errors follow loudness.
/// - Source: the unit is that of Cho et al., "Learning phrase representations using RNN encoder-decoder", EMNLP 2014,
///   with the reset gate after the matrix. Trained on 160 simulated clips of 10 s (image-method rooms, RT60 0.12 to 0.65 s,
///   10 to 400 ms of delay, near end -12 to 12 dB over the echo, linear and overdriven loudspeakers, moves, jumps, drift,
///   headsets) behind `LinearEchoStage`'s algorithm; the target is near end and noise without echo, at 0.3 of the magnitude.
struct NearEndMask: ~Copyable {
  /// 0...1 per band, before the power.
  private(set) var output: SampleBuffer

  private let parameters: SampleBuffer
  private var input: SampleBuffer
  private var hidden: SampleBuffer
  private var state: SampleBuffer
  private var inputGates: SampleBuffer
  private var stateGates: SampleBuffer

  init() {
    let lanes = EchoBands.laneCount
    output = SampleBuffer(repeating: 1, count: lanes)
    var copy = SampleBuffer(repeating: 0, count: Layout.count)
    for index in 0..<Layout.count { copy[index] = antiphon_echo_mask_parameter(index) }
    parameters = copy
    input = SampleBuffer(repeating: 0, count: Layout.inputs * lanes)
    hidden = SampleBuffer(repeating: 0, count: Layout.units * lanes)
    state = SampleBuffer(repeating: 0, count: Layout.units * lanes)
    inputGates = SampleBuffer(repeating: 0, count: 3 * Layout.units * lanes)
    stateGates = SampleBuffer(repeating: 0, count: 3 * Layout.units * lanes)
  }

  /// Takes one frame's measures and renews `output`.
  @_noLocks
  mutating func process(_ features: borrowing SampleBuffer) {
    let lanes = EchoBands.laneCount
    for row in 0..<Layout.inputs {
      let mean = parameters[Layout.mean &+ row]
      let scale = 1 / parameters[Layout.deviation &+ row]
      for lane in row &* lanes..<(row &+ 1) &* lanes { input[lane] = (features[lane] - mean) * scale }
    }
    EchoKernel.denseLayer(
      input, inputs: Layout.inputs, parameters: parameters, weightsAt: Layout.entry, biasAt: Layout.entryBias,
      into: &hidden, outputs: Layout.units, lanes: lanes)
    Self.tanh(&hidden, 0..<Layout.units &* lanes)
    EchoKernel.denseLayer(
      hidden, inputs: Layout.units, parameters: parameters, weightsAt: Layout.inputGates,
      biasAt: Layout.inputGatesBias, into: &inputGates, outputs: 3 &* Layout.units, lanes: lanes)
    EchoKernel.denseLayer(
      state, inputs: Layout.units, parameters: parameters, weightsAt: Layout.stateGates,
      biasAt: Layout.stateGatesBias, into: &stateGates, outputs: 3 &* Layout.units, lanes: lanes)
    renewState(Layout.units &* lanes)
    EchoKernel.denseLayer(
      state, inputs: Layout.units, parameters: parameters, weightsAt: Layout.exit, biasAt: Layout.exitBias,
      into: &output, outputs: 1, lanes: lanes)
    EchoKernel.logistic(&output, 0..<lanes)
  }

  @_noLocks
  mutating func reset() {
    state.fill(0..<state.count, with: 0)
    output.fill(0..<output.count, with: 1)
  }

  /// z = σ(·), r = σ(·), n = tanh(a + r · b), h = (1 - z) n + z h.
  @_noLocks
  private mutating func renewState(_ count: Int) {
    for index in 0..<2 &* count { inputGates[index] += stateGates[index] }
    EchoKernel.logistic(&inputGates, 0..<2 &* count)
    for index in 0..<count {
      inputGates[2 &* count &+ index] += inputGates[count &+ index] * stateGates[2 &* count &+ index]
    }
    Self.tanh(&inputGates, 2 &* count..<3 &* count)
    for index in 0..<count {
      let keep = inputGates[index]
      state[index] = (1 - keep) * inputGates[2 &* count &+ index] + keep * state[index]
    }
  }

  /// tanh(x) = 2 σ(2x) - 1.
  @_noLocks
  private static func tanh(_ x: inout SampleBuffer, _ range: Range<Int>) {
    EchoKernel.logistic(&x, range, gain: 2)
    for index in range { x[index] = 2 * x[index] - 1 }
  }

  /// Where the parts lie among the parameters; matrices are inputs × outputs.
  private enum Layout {
    static var inputs: Int { @_noLocks get { 24 } }
    static var units: Int { @_noLocks get { 16 } }
    static var mean: Int { @_noLocks get { 0 } }
    static var deviation: Int { @_noLocks get { 24 } }
    static var entry: Int { @_noLocks get { 48 } }
    static var entryBias: Int { @_noLocks get { 432 } }
    static var inputGates: Int { @_noLocks get { 448 } }
    static var stateGates: Int { @_noLocks get { 1_216 } }
    static var inputGatesBias: Int { @_noLocks get { 1_984 } }
    static var stateGatesBias: Int { @_noLocks get { 2_032 } }
    static var exit: Int { @_noLocks get { 2_080 } }
    static var exitBias: Int { @_noLocks get { 2_096 } }
    static var count: Int { @_noLocks get { 2_097 } }
  }
}
