extension CallAgent {
  /// A call that Habla's back end makes: the user is translated, or an agent speaks.
  public static func habla(
    _ call: HablaCall, at server: HablaServer, settings: HablaSessionSettings = HablaSessionSettings()
  ) -> CallAgent {
    CallAgent { environment in
      var environment = environment
      environment.holdsAgentOnSpeech = settings.holdsFarEndOnSpeech
      return SessionDriver(HablaDialect(call, at: server, settings), environment)
    }
  }
}
