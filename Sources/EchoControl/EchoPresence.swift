internal import RealtimeCore
internal import SignalProcessing

/// How much of the modelled echo is to be believed: with a headset a filter fits whatever it hears, and would add noise.
///
/// A true echo estimate y satisfies ⟨d, y⟩ = ⟨y, y⟩ for the microphone d, since the rest is unrelated to it; a made-up one
/// does not. The quotient over about 250 ms is mapped from 0.3 ... 0.7 to 0 ... 1.
struct EchoPresence {
  /// The part of the modelled echo to subtract.
  private(set) var share: Float = 1
  private var product: Float = 0
  private var energy: Float = 0

  /// Takes a block of the microphone and of the modelled echo.
  @_noLocks
  mutating func observe(_ microphone: borrowing SampleView, echo: borrowing SampleView) {
    product = 0.98 * product + Kernel.dot(microphone, echo)
    energy = 0.98 * energy + Kernel.energy(echo) + 1e-20
    // The constant keeps a filter that has only begun to learn from being doubted.
    let quotient = (product + 1e-5) / (energy + 1e-5)
    share = min(1, max(0, (quotient - 0.3) * 2.5))
  }

  @_noLocks
  init() {}
}
