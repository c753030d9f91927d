import Antiphon
import Foundation
import Synchronization

/// A recording as microphone and a file as loudspeaker, in the time of the system's clock.
final class FileSound: Sendable {
  private struct State: ~Copyable {
    var source: AudioSource?
    var writer: AudioFileWriter?
    var failure: String?
    var hasEnded = false
  }

  private let state: Mutex<State>
  /// Seconds of the recording, where it tells.
  let seconds: Double?

  /// - Parameters:
  ///   - microphone: any recording; `nil`: silence.
  ///   - output: where what is heard goes; `nil`: nowhere.
  init(microphone: String?, output: String?, files: OutputFiles) throws {
    var state = State()
    var seconds: Double?
    if let microphone {
      let source = try AudioSource(path: microphone, sampleRate: .hz48000)
      seconds = source.seconds
      state.source = consume source
    }
    self.seconds = seconds
    if let output { state.writer = try files.audio(output, format: .mono(.hz48000)) }
    self.state = Mutex(state)
  }

  /// As a call's devices.
  var callSound: CallSound {
    .clock(sampleRate: .hz48000) { [self] in
      VirtualSound(microphone: { self.read(into: &$0) }, loudspeaker: { self.write($0) })
    }
  }

  /// The recording is over.
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Completes the file; throws what went wrong with either.
  func finish() throws {
    try state.withLock { state in
      if let failure = state.failure { throw CommandFailure(failure) }
      try state.writer?.finish()
      state.writer = nil
    }
  }

  private func read(into block: inout MutableSpan<Float>) -> Bool {
    state.withLock { state in
      guard !state.hasEnded, state.source != nil else { return false }
      do {
        let wanted = block.count
        let made = try state.source!.next(into: &block)
        for index in made..<wanted { block[index] = 0 }
        state.hasEnded = made < wanted
        return true
      } catch {
        state.failure = "\(error)"
        state.hasEnded = true
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
