internal import JitterBuffer
package import Networking

/// What a session wants of its sound: a stream in a socket, or a WebRTC peer.
package enum SessionMediaAction: Sendable, Equatable {
  /// Sound goes as messages of a socket: `microphone` events bring what to send, `play` takes what came.
  case openStream(send: FramedAudioFormat, receive: FramedAudioFormat, packetMilliseconds: Int)
  /// Sound goes by WebRTC. With `offers`, an `offer` event follows; else `accept(offer:)` begins it.
  case openPeer(servers: [ICEServer], trickles: Bool, offers: Bool)

  /// Ends the sound; it may be opened anew. What still comes from it is not told.
  case close

  /// Takes the peer's answer.
  case acceptAnswer(String)
  /// Takes an answer that another may follow, as for sound before the far end picks up.
  case acceptProvisionalAnswer(String)
  /// Takes the peer's offer, in place of an own one that waits; an `answer` event follows.
  case acceptOffer(String)
  /// Takes a candidate of the peer: an `a=candidate` line.
  case addCandidate(String)
  /// The peer has no more.
  case endOfCandidates
  /// Looks for a path anew; an `offer` event follows.
  case restartICE

  /// Sound of the agent's turn `item`; turns are numbered upwards.
  case play([UInt8], item: Int)
  /// The turn is complete.
  case finish(item: Int)
  /// Silences the turns up to `item`, with a fade; `nil`: all that came.
  case flush(upTo: Int?)
  /// Silences the agent and keeps what it says.
  case hold
  /// It goes on where it was held.
  case resume

  /// Silence goes out in place of the microphone, or not any more.
  case mute(Bool)
  /// The user hears silence in place of the far end, or not any more.
  case deafen(Bool)
  /// Whether anything is sent at all.
  case send(Bool)
  /// Presses a key for the far end (RFC 4733): 0 to 9, 10 for `*`, 11 for `#`.
  case pressKey(UInt8, milliseconds: Int)
}

/// What a session is told of its sound.
package enum SessionMediaEvent: Sendable, Equatable {
  /// The session description to send, as an offer.
  case offer(String)
  /// The session description to send, as an answer.
  case answer(String)
  /// An own candidate: an `a=candidate` line without "a=".
  case localCandidate(String, mid: String?)
  /// There are no more.
  case endOfLocalCandidates
  /// Sound can flow: the stream's devices run, or the peer is reached and the keys are there.
  case connected
  /// The peer does not answer; it may come back.
  case disconnected
  /// No sound will flow.
  case failed(SessionError)
  /// A packet of the microphone, in the stream's format, silence while muted.
  case microphone([UInt8])
  /// The user began to speak.
  case speechStarted
  /// The user fell silent.
  case speechEnded
  /// How loud the microphone has been since the last time, about 20 ms ago, in dBFS; muted or not.
  case microphoneLevel(Double)
  /// How loud what is played of the far end has been since the last time, about 20 ms ago, in dBFS; not told while nothing
  /// is.
  case agentLevel(Double)
  /// What of the agent is being heard; `nil` when it is silent. Told when it begins and ends, and each 20 ms between.
  case playout(SessionPlayout?)
  /// A key went down at the far end.
  case keyPressed(UInt8)
  /// The far end's RTP grows, or has ended: whether packets came in the last second.
  case receiving(Bool)
}

/// A place in what the agent says.
package struct SessionPlayout: Sendable, Hashable {
  /// The turn; 0 by RTP.
  package var item: Int
  /// How much of it lies before, in milliseconds.
  package var milliseconds: Double

  package init(item: Int, milliseconds: Double) {
    self.item = item
    self.milliseconds = milliseconds
  }
}
