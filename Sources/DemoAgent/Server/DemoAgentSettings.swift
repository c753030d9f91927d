/// What a demo agent is made for.
public struct DemoAgentSettings: Sendable {
  /// Who answers.
  public var voice = AgentVoice.mind
  /// How the mind answers.
  public var mind = MindSettings()
  /// What is done wrong on request.
  public var misbehaviour = Misbehaviour()
  /// Of the ElevenLabs fake.
  public var elevenLabs = ElevenLabsSettings()
  /// Of the Habla fake.
  public var habla = HablaSettings()
  /// Of the fakes of PolyAI's services.
  public var polyAI = PolyAISettings()
  /// Of the Telnyx fake.
  public var telnyx = TelnyxSettings()
  /// Of the Vonage fakes.
  public var vonage = VonageSettings()

  /// An agent that behaves.
  public init() {}
}
