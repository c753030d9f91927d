internal import RealtimeCore

/// An answer on its way: what is to be said, what was handed out, and what of it was heard.
struct Answer {
  /// All of it.
  let text: String
  let action: Dialogue.Reply.Action?
  private var waiting: ArraySlice<String>
  private(set) var spoken: [Speech] = []
  /// The synthesizer's work; `nil` when all is handed out.
  var job: Int?
  /// When the first sentence was handed out; later, had there been a gap.
  var start: MediaInstant?

  init(_ reply: Dialogue.Reply) {
    text = reply.sentences.joined(separator: " ")
    action = reply.action
    waiting = reply.sentences[...]
  }

  mutating func takeSentence() -> String? { waiting.popFirst() }

  /// Adds a sentence's sound; what failed is left out.
  mutating func add(_ speech: Speech?, at now: MediaInstant) {
    guard let speech else { return }
    let length = milliseconds
    // Behind all that there was: the voice has been too slow, and the caller has heard a gap.
    let isLate = start.map { now.milliseconds(since: $0) > length } ?? true
    if isLate { start = now.advanced(byMilliseconds: -length) }
    spoken.append(speech)
  }

  /// When it has been heard; `nil` while there is more to come.
  var end: MediaInstant? { job == nil ? start?.advanced(byMilliseconds: milliseconds) : nil }

  /// What was heard of it by now.
  func said(at now: MediaInstant) -> String {
    guard let start else { return "" }
    var rest = now.milliseconds(since: start)
    var said: [String] = []
    for speech in spoken where rest > 0 {
      let part = speech.said(after: rest)
      if !part.isEmpty { said.append(part) }
      rest -= speech.milliseconds
    }
    return said.joined(separator: " ")
  }

  private var milliseconds: Double { spoken.reduce(0) { $0 + $1.milliseconds } }
}
