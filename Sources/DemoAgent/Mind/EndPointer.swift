internal import RealtimeCore
internal import SignalProcessing

/// Finds utterances in the caller's sound: when somebody begins to speak, and what was said when the pause is long enough.
///
/// Takes 16 kHz in pieces of any length, and judges it in frames of 10 ms.
struct EndPointer: ~Copyable, Sendable {
  /// What was noticed.
  enum Event: Equatable, Sendable {
    /// Somebody speaks: enough of the last frames hold speech.
    case began
    /// The pause behind it has passed. The utterance, with what was before its first word.
    case ended([Float])
  }

  /// From the last word to `ended`, in frames.
  private let pauseFrames: Int
  /// How many of the last 20 frames must hold speech for `began`.
  private let beginFrames: Int
  private var activity: VoiceActivity
  private var frame: SampleBuffer
  private var filled = 0
  /// One bit for each of the last 20 frames; the newest is the lowest.
  private var recent: UInt32 = 0
  private var quietFrames = 0
  private(set) var isSpeech = false
  /// How likely the last frame was speech, 0...1.
  private(set) var probability: Float = 0
  /// The utterance, or what may become its beginning.
  private var samples: [Float] = []

  static let frameCount = 160
  /// Kept from before the first word; the recogniser wants some silence there.
  private static let leadCount = 30 * frameCount
  /// An utterance is taken as it is after 12 s: somebody has a radio on.
  private static let longestCount = 1_200 * frameCount

  /// - Parameters:
  ///   - pauseMilliseconds: 100 to 5,000.
  ///   - beginMilliseconds: speech within 200 ms that makes a beginning, 10 to 200.
  init(pauseMilliseconds: Int, beginMilliseconds: Int) {
    pauseFrames = max(10, min(500, pauseMilliseconds / 10))
    beginFrames = max(1, min(20, beginMilliseconds / 10))
    guard let activity = try? VoiceActivity(sampleRate: .hz16000, hangoverMilliseconds: 0) else {
      preconditionFailure("VoiceActivity takes 16 kHz")
    }
    self.activity = activity
    frame = SampleBuffer(repeating: 0, count: Self.frameCount)
  }

  /// Takes sound; `event` is called for what it holds, in order.
  mutating func process(_ sound: [Float], _ event: (Event) -> Void) {
    for sample in sound {
      frame[filled] = sample
      filled += 1
      guard filled == Self.frameCount else { continue }
      filled = 0
      judge(event)
    }
  }

  /// No sound comes any more: what was begun is over.
  mutating func finish(_ event: (Event) -> Void) {
    if isSpeech { end(event) }
    recent = 0
    quietFrames = pauseFrames
  }

  private mutating func judge(_ event: (Event) -> Void) {
    probability = Self.judge(frame, by: &activity).probability
    let isVoiced = probability > 0.5
    recent = recent << 1 & 0xF_FFFF | (isVoiced ? 1 : 0)
    quietFrames = isVoiced ? 0 : quietFrames + 1
    for index in 0..<Self.frameCount { samples.append(frame[index]) }
    if !isSpeech {
      if recent.nonzeroBitCount >= beginFrames {
        isSpeech = true
        event(.began)
      } else if recent == 0, samples.count > 2 * Self.leadCount {
        samples.removeFirst(samples.count - Self.leadCount)
      }
    } else if quietFrames >= pauseFrames || samples.count >= Self.longestCount {
      end(event)
    }
  }

  private mutating func end(_ event: (Event) -> Void) {
    isSpeech = false
    recent = 0
    let utterance = samples
    samples = []
    event(.ended(utterance))
  }

  private static func judge(_ frame: borrowing SampleBuffer, by activity: inout VoiceActivity) -> VoiceActivity.Decision
  {
    activity.process(frame.view)
  }
}
