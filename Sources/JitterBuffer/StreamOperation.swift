/// What a stream's playout does when it needs more samples.
enum StreamOperation: Hashable, Sendable, BitwiseCopyable {
  /// No answer is on, or not enough of it: silence that counts for nothing.
  case wait
  /// What comes next in the stream.
  case normal
  /// What comes next, lengthened: the producer is about to fall behind.
  case decelerate
  /// What comes next, joined to the concealment before it.
  case merge
  /// Conceal: the producer has fallen behind.
  case expand
}

/// All that the decision depends on.
struct StreamStatus: Hashable, Sendable, BitwiseCopyable {
  /// Samples of the stream that wait, of the running or the next answer.
  var stock = 0
  /// An answer is being played.
  var hasStarted = false
  /// The stream ran dry within it.
  var isStarved = false
  /// All of the answer has come.
  var isComplete = false
  /// Enough has come, or enough time has passed, to begin or to go on.
  var isReady = false
  /// Playout lies less behind the producer than the reserve wants.
  var isShort = false
  /// What comes next is a pause in the speech, where nobody hears it lengthened.
  var isQuiet = false

  @_noLocks
  init() {}
}

/// What to do next; depends on nothing but its argument.
@_noLocks
func decideStream(_ status: StreamStatus) -> StreamOperation {
  guard status.hasStarted else { return status.stock > 0 && status.isReady ? .normal : .wait }
  if status.isStarved {
    if status.stock > 0 && status.isReady { return .merge }
    return status.isComplete && status.stock == 0 ? .wait : .expand
  }
  if status.stock == 0 { return status.isComplete ? .wait : .expand }
  if status.isShort && status.isQuiet && !status.isComplete { return .decelerate }
  return .normal
}
