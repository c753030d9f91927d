internal import CKernels
internal import RealtimeCore

/// Tells what is left of the echo from the user's speech, which the voice detector cannot: in a silent room the faint rest
/// of the agent's voice stands out of the noise like a word.
///
/// Where the canceller has taken nearly everything away, it was the loudspeaker's sound; a user who speaks is taken hardly
/// anything from, and in double talk at most as much as the echo was louder. So speech counts while the cleaned sound is
/// no more than 22 dB below the microphone's, over about 50 ms.
struct ResidualEchoGate: BitwiseCopyable {
  private var before: Float = 0
  private var after: Float = 0
  /// The microphone's energy of the last frames, newest first: the canceller gives a frame 10 to 20 ms late.
  private var recent = InlineArray<3, Float>(repeating: 0)

  private static var ratio: Float { @_noLocks get { 0.0063 } }  // -22 dB

  /// Notes a frame as the microphone gave it.
  @_noLocks
  mutating func note(microphone frame: borrowing SampleView) {
    recent[2] = recent[1]
    recent[1] = recent[0]
    recent[0] = unsafe antiphon_energy(frame.pointer, frame.count)
  }

  /// Whether the cleaned frame may be speech.
  @_noLocks
  mutating func admits(cleaned frame: borrowing SampleView) -> Bool {
    let energy = unsafe antiphon_energy(frame.pointer, frame.count)
    guard energy.isFinite, recent[1].isFinite, recent[2].isFinite else { return true }
    let microphone = max(recent[1], recent[2])
    before += 0.2 * (microphone - before)
    after += 0.2 * (energy - after)
    if !(before.isFinite && after.isFinite) {
      before = 0
      after = 0
    }
    return after >= Self.ratio * before
  }
}
