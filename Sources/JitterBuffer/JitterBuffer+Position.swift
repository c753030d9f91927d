public import RealtimeCore

extension JitterBuffer {
  /// Samples that `playout` has given since the start; the next one has this number.
  public var outputSampleCount: Int64 { @_noLocks get { record.sampleCount } }

  /// The RTP timestamp that output sample `sample` carried, counted from the first that `playout` ever gave, exact through
  /// stretch and concealment. To know what is heard now, subtract what the device has yet to play from
  /// `outputSampleCount`. `nil` for silence before the first packet and after a flush, for samples to come, and more than
  /// some seconds back.
  @_noLocks
  public func timestamp(ofOutputSample sample: Int64) -> RTPTimestamp? {
    guard let timestamp = record.timestamp(ofOutputSample: sample) else { return nil }
    return timestamps.timestamp(at: timestamp)
  }

  /// The item that output sample `sample` belongs to and the place in it; see `timestamp(ofOutputSample:)`. `nil` also
  /// before the first item.
  @_noLocks
  public func position(ofOutputSample sample: Int64) -> MediaPosition? {
    guard let timestamp = record.timestamp(ofOutputSample: sample), let item = items.item(at: timestamp) else {
      return nil
    }
    return MediaPosition(item: item.id, nanoseconds: clock.nanoseconds(ticks: timestamp &- item.start))
  }

  /// The item that `timestamp` belongs to and the place in it; `nil` before the first item.
  @_noLocks
  public func position(of timestamp: RTPTimestamp) -> MediaPosition? {
    let unwrapped = timestamps.time(of: timestamp)
    guard let item = items.item(at: unwrapped) else { return nil }
    return MediaPosition(item: item.id, nanoseconds: clock.nanoseconds(ticks: unwrapped &- item.start))
  }

  /// Says that an item (an answer) begins at `timestamp`, which ends the one before it. In the order of the timestamps;
  /// the last 256 are remembered until the sender begins a new time line.
  @_noLocks
  public mutating func beginItem(_ id: Int, at timestamp: RTPTimestamp) {
    items.open(id, at: timestamps.time(of: timestamp))
  }

  /// Asks to be told, by `nextMark`, when a place is heard; one that has been heard is reached with the next sample. Loss
  /// and stretch move no mark: a place that is concealed or passed over is reached when playout comes to it.
  /// - Parameter id: any number, to know it by.
  /// - Returns: false when 64 marks wait already.
  @_noLocks
  public mutating func addMark(_ id: Int, at timestamp: RTPTimestamp) -> Bool {
    record.addMark(id, at: timestamps.time(of: timestamp))
  }

  /// Asks to be told when a place of an item is heard; see `addMark(_:at:)` for timestamps.
  /// - Returns: false also when the item is unknown.
  @_noLocks
  public mutating func addMark(_ id: Int, at position: MediaPosition) -> Bool {
    guard let item = items.item(position.item) else { return false }
    return record.addMark(id, at: item.start &+ clock.ticks(nanoseconds: max(0, position.nanoseconds)))
  }

  /// The next mark that was heard or flushed; `nil` when there is none.
  @_noLocks
  public mutating func nextMark() -> PlayoutMark? { record.nextMark() }
}
