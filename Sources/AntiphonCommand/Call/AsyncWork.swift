import Dispatch
import Foundation
import Synchronization

/// Waits for asynchronous work on the main thread, which has nothing else to do.
enum AsyncWork {
  static func wait<Result: Sendable>(_ work: @escaping @Sendable () async throws -> Result) throws -> Result {
    let outcome = Mutex<Swift.Result<Result, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      let result: Swift.Result<Result, any Error>
      do { result = .success(try await work()) } catch { result = .failure(error) }
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { fatalError("the semaphore is signalled behind the result") }
    return try result.get()
  }
}

/// Ctrl-C and `kill` as the wish to end well: the first one is handed on, the second one ends the program.
final class StopSignal: @unchecked Sendable {  // the sources are held, and never touched again
  private let sources: [any DispatchSourceSignal]
  private let wishes: AsyncStream<Void>
  private let wasAsked = Atomic<Bool>(false)

  init() {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    wishes = stream
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      let count = Atomic<Int>(0)
      source.setEventHandler {
        if count.wrappingAdd(1, ordering: .relaxed).oldValue > 0 { exit(128 + number) }
        continuation.yield()
      }
      source.resume()
      return source
    }
  }

  /// Whether the program was asked to end.
  var isSet: Bool { wasAsked.load(ordering: .relaxed) }

  /// Returns when the program is asked to end, or the task is cancelled.
  func wait() async {
    for await _ in wishes {
      wasAsked.store(true, ordering: .relaxed)
      return
    }
  }
}
