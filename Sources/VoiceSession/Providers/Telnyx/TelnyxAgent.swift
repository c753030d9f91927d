extension CallAgent {
  /// An assistant of Telnyx: one call, for code that needs no widget.
  public static func telnyx(
    assistant id: String, caller: TelnyxCallParameters = TelnyxCallParameters()
  ) -> CallAgent {
    telnyx(TelnyxConfiguration(assistantID: id), caller: caller)
  }

  /// An assistant of Telnyx, by way of these servers.
  public static func telnyx(
    _ configuration: TelnyxConfiguration, caller: TelnyxCallParameters = TelnyxCallParameters()
  ) -> CallAgent {
    CallAgent { SessionDriver(TelnyxDialect(configuration, onlyCall: caller), $0) }
  }
}
