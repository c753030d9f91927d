internal import Networking

/// The agent's turns as playout knows them: their order, what was cut, and when each character is heard.
struct ElevenLabsTurns: Sendable {
  /// In which format the agent's sound comes.
  var format = FramedAudioFormat(.pcm16, .hz16000)
  /// The last turn that was cut: nothing of it or before it may sound.
  private(set) var lastInterrupted = Int.min
  private var items: [Int: Item] = [:]
  private var newestItem = 0

  private struct Item: Sendable {
    let number: Int
    var byteCount = 0
    /// Not yet heard, in order.
    var characters: [(milliseconds: Double, text: String)] = []
    var nextCharacter = 0
  }

  /// Turns that are remembered: of older ones nothing comes any more.
  private static let capacity = 64

  /// Whether the turn was cut short.
  func isVoid(_ eventID: Int) -> Bool { eventID <= lastInterrupted }

  /// The number that playout knows a turn by: they count upwards, whatever the server's do.
  mutating func item(of eventID: Int) -> Int {
    if let item = items[eventID] { return item.number }
    newestItem += 1
    items[eventID] = Item(number: newestItem)
    if items.count > Self.capacity, let oldest = items.min(by: { $0.value.number < $1.value.number }) {
      items[oldest.key] = nil
    }
    return newestItem
  }

  /// Notes a piece of a turn's sound, and when its characters begin, counted from the piece's beginning.
  mutating func add(byteCount: Int, _ alignment: AudioAlignment?, to eventID: Int) {
    guard items[eventID] != nil else { return }
    let before = milliseconds(items[eventID]!.byteCount)
    items[eventID]!.byteCount += byteCount
    guard let alignment else { return }
    for (text, start) in zip(alignment.chars, alignment.charStartTimesMs) where start.isFinite {
      items[eventID]!.characters.append((before + max(0, start), text))
    }
  }

  /// Cuts all turns up to this one.
  /// - Returns: the number of the newest of them that playout knows; `nil` when it knows none.
  mutating func interrupt(upTo eventID: Int) -> Int? {
    lastInterrupted = max(lastInterrupted, eventID)
    let cut = items.filter { $0.key <= eventID }
    for key in cut.keys { items[key]?.characters = [] }
    return cut.values.map(\.number).max()
  }

  /// The texts whose sound has begun since the last call.
  mutating func spoken(until playout: SessionPlayout?) -> [SpokenText] {
    guard let playout, let (eventID, item) = items.first(where: { $0.value.number == playout.item }) else { return [] }
    var text = ""
    var first: Double?
    var next = item.nextCharacter
    while next < item.characters.count, item.characters[next].milliseconds <= playout.milliseconds {
      if first == nil { first = item.characters[next].milliseconds }
      text += item.characters[next].text
      next += 1
    }
    guard let first else { return [] }
    items[eventID]!.nextCharacter = next
    return [SpokenText(turn: eventID, text: text, milliseconds: first)]
  }

  private func milliseconds(_ byteCount: Int) -> Double {
    Double(byteCount / format.bytesPerSample) * 1_000 / Double(format.sampleRate.hertz)
  }
}
