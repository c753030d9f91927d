internal import Foundation

/// What kind of mind answers.
public struct MindSettings: Sendable {
  /// Said at the beginning; empty: the caller speaks first.
  public var greeting = "Hello, this is the demo agent. Ask me for the time, or for the weather in a city."
  /// How long a pause ends what the caller says, in ms.
  public var endPauseMilliseconds = 500
  /// How much speech within 200 ms interrupts the agent, in ms.
  public var interruptionMilliseconds = 120
  /// Whether the caller's speech interrupts at all.
  public var canBeInterrupted = true
  /// Whether the weather is asked of the client (`get_weather`), where the vendor's protocol can.
  public var asksClient = true
  /// How long the client's answer is waited for, in seconds.
  public var toolSeconds = 5.0
  /// Who speaks.
  public var voice = SpeechSynthesizer.Voice.slt
  /// Hour and minute for "what time is it".
  public var timeOfDay: @Sendable () -> (hour: Int, minute: Int) = {
    let now = Calendar.current.dateComponents([.hour, .minute], from: Date())
    return (now.hour ?? 0, now.minute ?? 0)
  }

  /// The defaults.
  public init() {}
}
