public import RealtimeCore

/// Fills gaps in a decoded signal by repeating its last pitch periods, for codecs without concealment of their own.
///
/// Source: ITU-T G.711 Appendix I (1999), whose constants are kept: 5 to 15 ms of pitch, one, two, then three periods
/// from 10 ms on, 20 % less every 10 ms after the first, silence from 60 ms on, a cross-fade back that grows with the
/// gap. Differs: any rate; periods with a fraction; no 3.75 ms of delay, for the past is not altered: instead the step between what was played
/// and the repetition is spread over a quarter period.
///
/// Give it all audio in order: `receive` what arrived, `conceal` what did not, in pieces of any size.
/// - Threads: one at a time. Memory: 97.5 ms of samples. Latency added: 0 samples.
public struct PitchConcealment: ~Copyable, Sendable {
  /// The rate of the signal.
  public let sampleRate: SampleRate
  /// The last 48.75 ms that were played.
  private var played: SampleBuffer
  /// What `played` was when the gap began; the periods are repeated from its end.
  private var source: SampleBuffer
  private var search: PitchSearch
  private var repetition = PitchRepetition()
  /// Samples of the cross-fade back into arriving audio, and how many of them are done.
  private var fadeCount = 0
  private var fadePosition = 0

  /// Allocates the memory for `sampleRate`.
  public init(sampleRate: SampleRate) {
    self.sampleRate = sampleRate
    search = PitchSearch(sampleRate: sampleRate)
    let count = search.historyCount
    played = SampleBuffer(repeating: 0, count: count)
    source = SampleBuffer(repeating: 0, count: count)
  }

  /// Whether the last samples were made up.
  public private(set) var isConcealing = false

  /// Takes note of `frame`, which has arrived. After a gap its beginning is cross-faded in place.
  @_noLocks
  public mutating func receive(_ frame: inout MutableSpan<Float>) {
    if isConcealing {
      isConcealing = false
      fadePosition = 0
      fadeCount = repetition.fadeBackCount(sampleRate)
    }
    var i = 0
    let count = frame.count
    while fadePosition < fadeCount && i < count {
      fadePosition &+= 1
      let weight = Float(fadePosition) / Float(fadeCount &+ 1)
      frame[i] = weight * frame[i] + (1 - weight) * repetition.next(from: source)
      i &+= 1
    }
    remember(&frame)
  }

  /// Fills all of `frame` with a continuation of what was played before.
  @_noLocks
  public mutating func conceal(into frame: inout MutableSpan<Float>) {
    if !isConcealing {
      isConcealing = true
      for i in 0..<source.count { source[i] = played[i] }
      let pitch = search.pitch(in: source)
      repetition = PitchRepetition(pitch: pitch, source: source, sampleRate: sampleRate)
    }
    for i in 0..<frame.count { frame[i] = repetition.next(from: source) }
    remember(&frame)
  }

  /// Forgets the signal so far.
  @_noLocks
  public mutating func reset() {
    played.fill(0..<played.count, with: 0)
    isConcealing = false
    fadeCount = 0
    fadePosition = 0
  }

  @_noLocks
  private mutating func remember(_ samples: inout MutableSpan<Float>) {
    let size = played.count
    let added = samples.count
    let kept = Swift.max(0, size &- added)
    played.move(size &- kept..<size, to: 0)
    for i in kept..<size { played[i] = samples[added &- size &+ i] }
  }
}
