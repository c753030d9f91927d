/// What became of a packet that was given to a jitter buffer. Nothing here is an error: networks do all of this.
public enum InsertOutcome: Hashable, Sendable, BitwiseCopyable {
  /// It waits for its turn.
  case inserted
  /// It waits, and the oldest waiting packet gave way because every slot was taken.
  case insertedInPlaceOfOldest
  /// A packet with its sequence number or timestamp is there already.
  case duplicate
  /// Its sound has been played or concealed for good.
  case tooLate
  /// The codec cannot be made to read it, or it is longer than a slot.
  case malformed
  /// Its timestamp lies seconds away from the stream's; dropped unless the following packet agrees with it.
  case implausible
  /// It follows an implausible packet and agrees with it: the sender began a new time line, and the buffer with it.
  case restarted

  /// Whether the packet is now in the buffer.
  public var isHeld: Bool {
    @_noLocks get {
      switch self {
      case .inserted, .insertedInPlaceOfOldest, .restarted: true
      case .duplicate, .tooLate, .malformed, .implausible: false
      }
    }
  }
}
