// The same with completions, as the vendor's SDK has them. Each is called once, on the main actor; `nil` is success.
extension VoiceClient {
  /// Logs in; see the method that waits.
  public func createSession(
    _ token: String, sessionID: String? = nil, completion: @escaping @MainActor (SessionError?, String?) -> Void
  ) {
    Task {
      do throws(SessionError) { completion(nil, try await createSession(token, sessionID: sessionID)) } catch {
        completion(error, nil)
      }
    }
  }

  /// Logs in anew before the token's time is over.
  public func refreshSession(_ token: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.refreshSession(token) }
  }

  /// Ends all calls and logs out.
  public func deleteSession(_ completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.deleteSession() }
  }

  /// Asks the back end for a call; the second value is its id.
  public func serverCall(
    _ context: [String: String], completion: @escaping @MainActor (SessionError?, String?) -> Void
  ) {
    Task {
      do throws(SessionError) { completion(nil, try await serverCall(context)) } catch { completion(error, nil) }
    }
  }

  /// Takes a call that rings here.
  public func answer(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.answer(callID) }
  }

  /// Refuses a call that rings here.
  public func reject(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.reject(callID) }
  }

  /// Ends a call; `nil`: the newest that has no id yet.
  public func hangup(_ callID: String?, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.hangup(callID) }
  }

  /// Takes a call over into a new session of the old id.
  public func reconnectCall(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.reconnectCall(callID) }
  }

  /// Silence goes out in place of the microphone.
  public func mute(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.mute(callID) }
  }

  /// The microphone is on again.
  public func unmute(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.unmute(callID) }
  }

  /// Nothing is heard of the far end.
  public func enableEarmuff(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.enableEarmuff(callID) }
  }

  /// It is heard again.
  public func disableEarmuff(_ callID: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.disableEarmuff(callID) }
  }

  /// Presses keys.
  public func sendDTMF(
    _ callID: String, withDigits digits: String, completion: @escaping @MainActor (SessionError?) -> Void
  ) {
    run(completion) { () async throws(SessionError) in try await self.sendDTMF(callID, withDigits: digits) }
  }

  /// Speaks a text into the call.
  public func say(_ callID: String, text: String, completion: @escaping @MainActor (SessionError?) -> Void) {
    run(completion) { () async throws(SessionError) in try await self.say(callID, text: text) }
  }

  private func run(
    _ completion: @escaping @MainActor (SessionError?) -> Void,
    _ work: @escaping @MainActor () async throws(SessionError) -> Void
  ) {
    Task {
      do throws(SessionError) {
        try await work()
        completion(nil)
      } catch { completion(error) }
    }
  }
}
