import Antiphon
import Foundation
import Synchronization

/// A user made of recordings: each is spoken when it is asked for, and between them the microphone hears nothing. What the
/// agent says goes to a file.
final class QuestionSound: Sendable {
  private struct State: ~Copyable {
    var waiting: [String]
    var source: AudioSource?
    var writer: AudioFileWriter?
    var failure: String?
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - questions: recordings, in order.
  ///   - output: where what is heard goes; `nil`: nowhere.
  init(questions: [String], output: String?, files: OutputFiles) throws {
    for path in questions { _ = try AudioSource(path: path, sampleRate: .hz48000) }
    var state = State(waiting: questions)
    if let output { state.writer = try files.audio(output, format: .mono(.hz48000)) }
    self.state = Mutex(state)
  }

  /// As a call's devices.
  var callSound: CallSound {
    .clock(sampleRate: .hz48000) { [self] in
      VirtualSound(microphone: { self.read(into: &$0) }, loudspeaker: { self.write($0) })
    }
  }

  /// Begins with the next recording.
  /// - Returns: its name; `nil` when one is being spoken, or none is left.
  func speakNext() -> String? {
    state.withLock { state in
      guard state.source == nil, !state.waiting.isEmpty else { return nil }
      let path = state.waiting.removeFirst()
      do { state.source = try AudioSource(path: path, sampleRate: .hz48000) } catch {
        state.failure = "\(error)"
        return nil
      }
      return (path as NSString).lastPathComponent
    }
  }

  /// Whether a recording is being spoken.
  var isSpeaking: Bool { state.withLock { $0.source != nil } }
  /// Whether all were spoken.
  var isDone: Bool { state.withLock { $0.source == nil && $0.waiting.isEmpty } }

  /// Completes the file; throws what went wrong.
  func finish() throws {
    try state.withLock { state in
      if let failure = state.failure { throw CommandFailure(failure) }
      try state.writer?.finish()
      state.writer = nil
    }
  }

  private func read(into block: inout MutableSpan<Float>) -> Bool {
    state.withLock { state in
      guard state.source != nil else { return false }
      do {
        let wanted = block.count
        let made = try state.source!.next(into: &block)
        for index in made..<wanted { block[index] = 0 }
        if made < wanted { state.source = nil }
        return true
      } catch {
        state.failure = "\(error)"
        state.source = nil
        return false
      }
    }
  }

  private func write(_ block: Span<Float>) {
    state.withLock { state in
      guard state.failure == nil else { return }
      do { try state.writer?.write(block) } catch { state.failure = "\(error)" }
    }
  }
}
