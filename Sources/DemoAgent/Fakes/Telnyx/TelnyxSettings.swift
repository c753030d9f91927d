/// How the fake's Telnyx assistant is set up.
public struct TelnyxSettings: Sendable {
  /// The assistant's id; `nil`: any.
  public var assistantID: String?
  /// What `telnyx_rtc.gatewayState` is answered, one after the other; the last one again and again.
  public var gatewayStates = ["REGED"]
  /// Members of `widget_settings`, as JSON; empty: none are sent.
  public var widgetSettings =
    #"{"start_call_text":"Talk to us","theme":"light","agent_thinking_text":"Thinking…","audio_visualizer_config":{"enabled":true,"color":"verdant","preset":"roundBars"}}"#
  /// Seconds between the server's pings; the vendor's are not published.
  public var pingSeconds = 30.0
  /// From the invite to the answer, in seconds.
  public var ringSeconds = 0.1
  /// Whether `telnyx_rtc.media` brings the description and `answer` none.
  public var sendsEarlyMedia = true
  /// Codecs by their names in descriptions that the assistant takes; an invite without one of them is answered -32002.
  public var codecs = ["opus", "PCMU", "PCMA", "G722"]
  /// How long a call waits for its client to come again, in seconds.
  public var reattachSeconds = 60.0

  /// An assistant that takes every caller.
  public init() {}
}
