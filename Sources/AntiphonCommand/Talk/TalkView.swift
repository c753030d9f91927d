import Antiphon
import Foundation

/// What a talk looks like: the transcript runs upwards, and below it stand the state and the levels of both voices, as
/// long as there is a terminal. Elsewhere only the finished lines are printed.
struct TalkView {
  private let isLive: Bool
  private let isQuiet: Bool
  private var state = "connecting"
  private var agent = AgentState.listening
  private var isMuted = false
  private var levels = SessionLevels()
  private var draft = ""
  private var partial: (who: String, text: String)?
  private var statusLines = 0

  /// - Parameters:
  ///   - isLive: whether there is a terminal to draw on.
  ///   - isQuiet: whether nothing is to be shown.
  init(isLive: Bool, isQuiet: Bool) {
    self.isLive = isLive
    self.isQuiet = isQuiet
  }

  mutating func show(state: String) throws {
    self.state = state
    try draw()
  }

  mutating func show(agent: AgentState) throws {
    self.agent = agent
    try draw()
  }

  mutating func show(muted: Bool) throws {
    isMuted = muted
    try draw()
  }

  mutating func show(levels: SessionLevels) throws {
    self.levels = levels
    try draw()
  }

  mutating func show(draft: String) throws {
    self.draft = draft
    try draw()
  }

  /// A line that will not change.
  mutating func say(_ who: String, _ text: String) throws {
    guard !isQuiet else { return }
    try erase()
    partial = nil
    try Terminal.line(Self.label(who) + text)
    try draw()
  }

  /// A line that still may.
  mutating func say(partial text: String, by who: String) throws {
    partial = (who, text)
    try draw()
  }

  /// Leaves the terminal as it is to be.
  mutating func end() throws { try erase() }

  private mutating func draw() throws {
    guard isLive else { return }
    let width = max(20, Terminal.columns)
    var lines: [String] = []
    if let partial { lines.append(Self.label(partial.who) + partial.text + " …") }
    lines.append(
      "you \(Self.bars(levels.user)) \(isMuted ? "muted" : "     ")   agent \(Self.bars(levels.agent)) \(agent.rawValue)"
    )
    lines.append("\(state) · Tab mutes · type and Enter to write · Ctrl-C ends" + (draft.isEmpty ? "" : " > " + draft))
    try erase()
    try Terminal.outputText(lines.map { String($0.prefix(width - 1)) + "\u{1B}[K" }.joined(separator: "\n"))
    statusLines = lines.count
  }

  private mutating func erase() throws {
    guard isLive, statusLines > 0 else { return }
    let up = statusLines > 1 ? "\u{1B}[\(statusLines - 1)A" : ""
    try Terminal.outputText("\r" + up + "\u{1B}[J")
    statusLines = 0
  }

  private static func label(_ who: String) -> String { who.padding(toLength: 7, withPad: " ", startingAt: 0) }

  private static func bars(_ levels: [Float]) -> String {
    let steps = Array(" ▁▂▃▄▅▆▇█")
    let shown = levels.isEmpty ? [Float](repeating: 0, count: 10) : levels
    return String(shown.map { steps[max(0, min(8, Int($0 * 8.99)))] })
  }
}
