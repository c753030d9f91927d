import Antiphon
import Foundation

/// What a talk came to.
struct TalkFigures: Encodable, Outcome {
  struct Line: Encodable {
    let who: String
    let text: String
    /// Seconds from the start.
    let seconds: Double
  }

  let system: String
  var end = "it did not begin"
  var seconds = 0.0
  /// From the start to the first sample of the agent's voice.
  var startToVoiceMilliseconds: Double?
  /// From the end of each question to the first sample of its answer.
  var answerMilliseconds: [Double] = []
  /// How often the agent was interrupted.
  var interruptions = 0
  var toolCalls: [String] = []
  var transcript: [Line] = []
  var concealedSamples = 0
  var audio: String?
  var warnings: [String] = []

  var summary: String {
    func milliseconds(_ value: Double) -> String { String(format: "%.0f ms", value) }
    var lines = [String(format: "A talk of %.1f s with an agent (%@); it ended %@.", seconds, system, end)]
    if let first = startToVoiceMilliseconds {
      lines.append("  start to the agent's first sound   " + milliseconds(first))
    }
    if !answerMilliseconds.isEmpty {
      lines.append(
        "  end of a question to its answer    " + answerMilliseconds.map(milliseconds).joined(separator: ", "))
    }
    if !toolCalls.isEmpty { lines.append("  tools that the agent asked for     " + toolCalls.joined(separator: ", ")) }
    if let audio { lines.append("  what was heard                     " + audio) }
    return lines.joined(separator: "\n")
  }
}
