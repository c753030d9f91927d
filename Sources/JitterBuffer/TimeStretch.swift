import RealtimeCore

/// Shortens or lengthens the waiting signal by whole pitch periods, unheard.
///
/// Pitch-synchronous overlap-add: where the signal resembles itself one period on, a cross-fade from here to there
/// leaves the period out; a cross-fade from here to one period back plays it twice. The point of the cut is the playout
/// point itself, so lengthening needs only the history and 5 ms of the future. In a pause the lag is free.
/// - Source: Verhelst & Roelands 1993 (WSOLA); lags and threshold as in NetEq. Differs: full rate, and the cross-fade
///   is 5 ms (or what is there) instead of a whole period.
struct TimeStretch: Sendable, BitwiseCopyable {
  /// The shortest and longest period looked for, in samples: 2.5 to 15 ms (400 to 67 Hz).
  let shortestLag: Int
  let longestLag: Int
  /// Length of the cross-fade, and of the signals compared.
  let fadeCount: Int
  /// Every how many samples the coarse search looks.
  let coarseStep: Int
  /// Least normalized correlation for a cut inside speech.
  static var similarityLimit: Float { @_noLocks get { 0.85 } }

  init(sampleRate: SampleRate) {
    shortestLag = sampleRate.hertz / 400
    longestLag = sampleRate.hertz * 15 / 1_000
    fadeCount = sampleRate.hertz / 200
    coarseStep = max(1, sampleRate.hertz / 12_000)
  }

  /// Leaves out at most `wanted` samples after the playout point.
  /// - Returns: how many were left out; 0 when no cut would go unheard.
  @_noLocks
  func shorten(_ line: inout SampleLine, _ timeline: inout PlayoutTimeline, by wanted: Int, isQuiet: Bool) -> Int {
    let waiting = line.count
    let room = waiting &- fadeCount
    var lag = min(wanted, room)
    guard lag >= shortestLag else { return 0 }
    let start = line.start
    if !isQuiet {
      let found = SignalSimilarity.best(
        line.samples, at: start, line.samples, at: start, lags: shortestLag..<min(longestLag, lag) &+ 1,
        count: fadeCount, coarseStep: coarseStep)
      guard found.correlation >= Self.similarityLimit else { return 0 }
      lag = found.lag
    }
    for index in 0..<fadeCount {
      let weight = (Float(index) + 0.5) / Float(fadeCount)
      let here = line.samples[start &+ index]
      let there = line.samples[start &+ lag &+ index]
      // The faded samples take the place of those that lead over to the rest.
      line.set(start &+ lag &+ index, to: here + (there - here) * weight)
    }
    line.remove(lag, at: start)
    timeline.replaceFirst(lag &+ fadeCount, with: fadeCount)
    return lag
  }

  /// Plays again at least one period before the playout point, at most about `wanted` samples in a pause.
  /// - Returns: how many samples were put in; 0 when it would be heard.
  @_noLocks
  func lengthen(_ line: inout SampleLine, _ timeline: inout PlayoutTimeline, by wanted: Int, isQuiet: Bool) -> Int {
    guard line.count >= fadeCount else { return 0 }
    var start = line.start
    var lag = min(line.historyCount, max(wanted, shortestLag))
    if !isQuiet {
      // Looking back: the match is at `start - lag`, found as a forward lag from the longest one.
      let found = SignalSimilarity.best(
        line.samples, at: start, line.samples, at: start &- longestLag, lags: 0..<longestLag &- shortestLag &+ 1,
        count: fadeCount, coarseStep: coarseStep)
      guard found.correlation >= Self.similarityLimit else { return 0 }
      lag = longestLag &- found.lag
    }
    guard let moved = line.openHole(lag, at: start) else { return 0 }
    start &+= moved
    // What was at `start` is now at `start + lag`; the hole is filled with a fade from it to one period back, and with
    // the rest of that period; then the old signal goes on from its beginning.
    let fade = min(fadeCount, lag)
    for index in 0..<lag {
      let back = line.samples[start &- lag &+ index]
      guard index < fade else {
        line.set(start &+ index, to: back)
        continue
      }
      let weight = (Float(index) + 0.5) / Float(fade)
      let here = line.samples[start &+ lag &+ index]
      line.set(start &+ index, to: here + (back - here) * weight)
    }
    timeline.replaceFirst(fadeCount, with: fadeCount &+ lag)
    return lag
  }
}
