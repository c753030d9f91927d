internal import Dispatch

/// The ears and the voice of a server's calls, away from the event loop: what takes long runs here, one after the other.
///
/// - Threads: any; each of the two works on a queue of its own, and calls back there.
@safe  // `recogniser` and `synthesizer` are touched on their queues only
final class SpeechWorker: @unchecked Sendable {
  private let hearing = DispatchQueue(label: "antiphon.agent.hearing", qos: .userInitiated)
  private let speaking = DispatchQueue(label: "antiphon.agent.speaking", qos: .userInitiated)
  private var recogniser: SpeechRecognizer
  private let synthesizer: SpeechSynthesizer

  private init(voice: SpeechSynthesizer.Voice) throws(SpeechError) {
    recogniser = try SpeechRecognizer()
    synthesizer = try SpeechSynthesizer(voice)
  }

  /// Loads model and voice, away from the caller's thread; about half a second.
  static func load(voice: SpeechSynthesizer.Voice) async throws(SpeechError) -> SpeechWorker {
    let loaded = await withCheckedContinuation {
      (done: CheckedContinuation<Result<SpeechWorker, SpeechError>, Never>) in
      DispatchQueue.global(qos: .userInitiated).async {
        do throws(SpeechError) { done.resume(returning: .success(try SpeechWorker(voice: voice))) } catch {
          done.resume(returning: .failure(error))
        }
      }
    }
    return try loaded.get()
  }

  /// Calls `done` with the words; `nil` when they are no known phrase.
  func recognise(_ samples: [Float], _ done: @escaping @Sendable (String?) -> Void) {
    hearing.async { [self] in done((try? recogniser.recognise(samples)) ?? nil) }
  }

  /// Calls `done` with the sound; `nil` when there is none.
  func speak(_ text: String, _ done: @escaping @Sendable (Speech?) -> Void) {
    speaking.async { [self] in done(try? synthesizer.speak(text)) }
  }
}
