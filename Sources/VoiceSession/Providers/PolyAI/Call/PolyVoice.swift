/// Voice calls with PolyAI's agents.
///
/// ```swift
/// let call = try PolyVoice.call(
///   config: PolyConfiguration(apiKey: "connector token"), options: VoiceOptions(webrtcToken: "web calling token"))
/// Task { for await state in call.states { render(state) } }
/// try await call.start()
/// await call.end()
/// ```
public enum PolyVoice {
  /// A call that has not begun.
  /// - Parameter environment: the sound and the network; the system's devices if not given.
  /// - Throws: `invalidConfiguration` for a blank token, or servers of one's own without a gateway.
  @MainActor public static func call(
    config: PolyConfiguration, options: VoiceOptions, environment: SessionEnvironment = .devices
  ) throws(PolyError) -> VoiceCall {
    VoiceCall(try PolyAIDialect(config, options), options, environment)
  }
}

extension CallAgent {
  /// An agent of PolyAI, for code that needs nothing of that system's own.
  /// - Throws: `invalidConfiguration`, as `PolyVoice.call`.
  public static func polyAI(_ config: PolyConfiguration, options: VoiceOptions) throws(PolyError) -> CallAgent {
    let dialect = try PolyAIDialect(config, options)
    return CallAgent { SessionDriver(dialect, $0) }
  }
}
