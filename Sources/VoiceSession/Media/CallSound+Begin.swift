internal import Dispatch

extension CallSound {
  /// Starts on another thread than the caller's: a sound server may take its time, and other calls live on the loop.
  func begin(_ client: EngineClient) async throws -> Running {
    let start = start
    return try await withCheckedThrowingContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async { done.resume(with: Result { try start(client) }) }
    }
  }
}

extension CallSound.Running {
  /// Ends the sound, on another thread than the caller's; when it returns, the client is not called any more.
  func end() async {
    let stop = stop
    await withCheckedContinuation { done in
      DispatchQueue.global(qos: .userInitiated).async {
        stop()
        done.resume()
      }
    }
  }
}
