internal import CKernels
public import RealtimeCore

/// Brings a voice to a steady level: 10 ms frames in place, one channel.
///
/// The level is measured only while somebody speaks, so pauses and noise are never pulled up to the target. The gain
/// moves slowly, and a limiter without look-ahead keeps every sample within -1 dBFS. Latency: none.
/// Not SpeexDSP's own gain control: that lives inside its noise suppressor's spectra, so it cannot run without them.
/// - Threads: any one at a time; after `init` no call allocates or waits.
public struct AutomaticGain: ~Copyable, Sendable {
  /// What an automatic gain aims at.
  public struct Settings: Hashable, Sendable {
    /// Mean level of the voice to reach, in dBFS (a full-scale sine is -3), -40...-6.
    public var targetLevel: Float = -20
    /// The most by which a quiet voice is raised, in dB, 0...40.
    public var maximumGain: Float = 24
    /// The most by which a loud voice is lowered, in dB, 0...40.
    public var maximumAttenuation: Float = 12
    /// How fast the gain rises, in dB per second of speech, 0.1...100.
    public var risePerSecond: Float = 6
    /// How fast the gain falls, in dB per second of speech, 0.1...100.
    public var fallPerSecond: Float = 20

    /// A target of -20 dBFS with 24 dB up and 12 dB down.
    public init() {}

    func validate() throws(SignalProcessingError) {
      try check(targetLevel, -40, -6)
      try check(maximumGain, 0, 40)
      try check(maximumAttenuation, 0, 40)
      try check(risePerSecond, 0.1, 100)
      try check(fallPerSecond, 0.1, 100)
    }

    private func check(_ value: Float, _ lowest: Float, _ highest: Float) throws(SignalProcessingError) {
      guard value >= lowest && value <= highest else {  // false for NaN too
        throw .unsupportedSetting(value, lowest: lowest, highest: highest)
      }
    }
  }

  /// Samples in a frame: 10 ms.
  public let frameSampleCount: Int
  /// The gain now, in dB, without the limiter's.
  public private(set) var gain: Float = 0

  private let settings: Settings
  private var voice: VoiceActivity
  private var work: SampleBuffer
  private var limiter: PeakLimiter
  private var voicePower: Float = 0
  private var voicedFrameCount = 0
  private var appliedGain: Float = 1

  /// A gain of 0 dB that has yet to hear a voice.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz, `unsupportedFrameLength` at 11,025 and 22,050 Hz,
  ///   `unsupportedSetting`.
  public init(sampleRate: SampleRate, settings: Settings = Settings()) throws(SignalProcessingError) {
    try settings.validate()
    let voice = try VoiceActivity(sampleRate: sampleRate)
    self.settings = settings
    frameSampleCount = voice.frameSampleCount
    work = SampleBuffer(repeating: 0, count: voice.frameSampleCount)
    limiter = PeakLimiter(ceiling: Self.ceiling, sampleRate: Float(sampleRate.hertz))
    self.voice = voice
  }

  /// Levels one frame in place, with a voice detector of its own; traps unless it has `frameSampleCount` samples.
  @_noLocks
  public mutating func process(_ frame: inout MutableSpan<Float>) {
    take(&frame)
    let decision = voice.process(&frame)
    level(&frame, decision)
  }

  /// Levels one frame in place, with the decision that a `VoiceActivity` made about it: saves the second analysis.
  @_noLocks
  public mutating func process(_ frame: inout MutableSpan<Float>, voice decision: VoiceActivity.Decision) {
    take(&frame)
    level(&frame, decision)
  }

  /// Back to 0 dB and no voice heard.
  @_noLocks
  public mutating func reset() {
    voice.reset()
    limiter.reset()
    (gain, appliedGain, voicePower, voicedFrameCount) = (0, 1, 0, 0)
  }

  @_noLocks
  private mutating func take(_ frame: inout MutableSpan<Float>) {
    let count = frame.count
    precondition(count == frameSampleCount, "AutomaticGain: give frames of 10 ms, frameSampleCount samples")
    Kernel.sanitize(&frame, limit: 1_000)
    for index in 0..<count { work[index] = frame[index] }
  }

  @_noLocks
  private mutating func level(_ frame: inout MutableSpan<Float>, _ decision: VoiceActivity.Decision) {
    // The frame's own probability, not `isSpeech`: hangover frames are mostly pause.
    if decision.probability > 0.5 { follow(Kernel.energy(work.view) / Float(frameSampleCount)) }
    let aim = antiphon_powf(10, gain / 20)
    let step = (aim - appliedGain) / Float(frameSampleCount)
    for index in 0..<frameSampleCount {
      appliedGain += step
      frame[index] = limiter.limit(work[index] * appliedGain)
    }
    appliedGain = aim
  }

  /// Takes the power of a frame of speech and moves the gain by one step.
  @_noLocks
  private mutating func follow(_ power: Float) {
    // A plain mean over the first 2 s of speech, then an exponential one of that length.
    voicedFrameCount = min(voicedFrameCount &+ 1, 200)
    voicePower += (power - voicePower) / Float(voicedFrameCount)
    if voicedFrameCount < 10 { return }  // 0.1 s say too little about a voice
    let wanted = settings.targetLevel - 10 * antiphon_log10f(voicePower + 1e-10)
    let aim = max(-settings.maximumAttenuation, min(settings.maximumGain, wanted))
    let step = aim - gain
    gain += max(-0.01 * settings.fallPerSecond, min(0.01 * settings.risePerSecond, step))
  }

  /// -1 dBFS, as EBU R 128 asks of sample peaks' room.
  private static var ceiling: Float { @_noLocks get { 0.891 } }
}
