import Foundation

/// What a command that turns one recording into another has to tell.
protocol Outcome: Encodable {
  /// Oddities of the inputs, each with the file's name.
  var warnings: [String] { get }
  /// The result for people.
  var summary: String { get }
}

extension Outcome {
  /// Tells warnings on standard error and the result on standard output; on standard error too where audio has the other.
  func tell(as command: any Command.Type, json: Bool, audioGoesTo output: String = "") throws {
    for warning in warnings { Terminal.error("antiphon \(command.name): \(warning)") }
    let text = try json ? JSONText.encode(self) : summary
    if output == "-" { Terminal.error(text) } else { try Terminal.line(text) }
  }
}

/// How fast a piece of work was.
struct Pace {
  private let began = ContinuousClock.now

  /// Seconds of audio for each second that has passed.
  func timesRealTime(_ seconds: Double) -> Double { seconds / max(1e-9, (ContinuousClock.now - began) / .seconds(1)) }
}
