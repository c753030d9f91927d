import AudioCodecs
import RealtimeCore

extension StreamPlayout {
  /// Silences an answer for good: fades out within 5 ms, drops what waits of it and what still comes. Answers behind it
  /// stay and begin when they are ready. What is known of the producer stays.
  /// - Parameter item: this and all before it; `nil` for all that were opened so far.
  /// - Returns: the place up to which it is heard, fade included; `nil` when nothing of it was.
  @_noLocks
  @discardableResult
  public mutating func flush(upTo item: Int? = nil) -> MediaPosition? {
    guard let newest = items.newest else { return nil }
    let last = item ?? newest.id
    flushedItem = max(flushedItem, last)
    let end = items.start(after: last) ?? writeIndex
    let waiting = timeline.first?.timestamp ?? readIndex
    guard waiting < end || phase.isIdle else {  // playout is beyond it
      resume()
      return nil
    }
    if last >= newest.id {
      items.end(at: writeIndex)
      oddByte = nil
    }
    let wasOn = !phase.isIdle
    fadeOut()
    let heard = timeline.end ?? waiting
    if end > readIndex {
      statistics.flushedSamples &+= Int(end &- readIndex)
      readIndex = end
    }
    record.dropMarks(from: heard, to: end)
    becomeIdle()
    interruptions.end()
    guard wasOn, let heardItem = items.item(at: max(0, heard &- 1)) else { return nil }
    return MediaPosition(
      item: heardItem.id, nanoseconds: sampleRate.nanoseconds(sampleCount: Int(heard &- heardItem.start)))
  }

  /// What the caller has asked for about an interruption.
  public var interruption: Interruption { @_noLocks get { interruptions.state } }

  /// Turns the agent down by 18 dB within 10 ms: the user may be interrupting. The answer goes on.
  @_noLocks
  public mutating func duck() { interruptions.duck() }

  /// Silences the agent within 10 ms and lets playout stand still. All that waits and all that comes is kept; after
  /// `longestHoldMilliseconds` the hold becomes a flush.
  @_noLocks
  public mutating func hold() { interruptions.hold() }

  /// It was a false alarm: the agent goes on from where it was held or ducked, faded in within 10 ms.
  @_noLocks
  public mutating func resume() { interruptions.resume() }

  /// Lets at most 5 ms fade to silence on the line.
  @_noLocks
  private mutating func fadeOut() {
    let fade = sampleRate.hertz / 200
    if interruptions.isSilent {
      line.truncate(to: 0)
      timeline.truncate(to: 0)
      return
    }
    if line.count < fade && !phase.isIdle {
      // At the end of a piece hardly anything waits that could fade: prolong the sound.
      Self.conceal(into: &tail, fade, by: &concealment)
      line.append(tail, 0..<fade)
      timeline.append(TimelineSegment(count: fade, timestamp: readIndex))
    }
    line.fadeOut(within: fade)
    timeline.truncate(to: line.count)
  }
}
