internal import CFlite
internal import RealtimeCore
internal import Synchronization

/// Text to sound at 16 kHz, by flite.
///
/// flite keeps its voices in statics, so all synthesizers of the process take turns. A sentence of 3 s takes about 0.1 s.
/// - Threads: any one at a time; not for an event loop's.
/// - Licence: flite and its CMU voices are under a BSD-like licence of Carnegie Mellon University.
@safe  // `voice` belongs to the library, which never frees it
public struct SpeechSynthesizer: ~Copyable, @unchecked Sendable {
  /// Who speaks.
  public enum Voice: String, Sendable, CaseIterable {
    /// A woman, from statistics of her speech; clear.
    case slt
    /// A man, from diphones; fifteen times as fast, and like a machine.
    case kal16
    /// A man, from statistics of his speech.
    case rms
  }

  private let voice: UnsafeMutablePointer<cst_voice>
  private let name: Voice
  private static let turns = Mutex<Bool>(false)
  /// Beyond this a text is cut: about a minute of speech.
  private static let longestText = 1_000

  /// Loads a voice.
  /// - Throws: `voiceFailed`.
  public init(_ name: Voice = .slt) throws(SpeechError) {
    let found = Self.turns.withLock { isReady in
      if !isReady {
        flite_init()
        isReady = true
      }
      return switch name {
      case .slt: unsafe Found(voice: register_cmu_us_slt(nil))
      case .kal16: unsafe Found(voice: register_cmu_us_kal16(nil))
      case .rms: unsafe Found(voice: register_cmu_us_rms(nil))
      }
    }
    guard let voice = unsafe found.voice else { throw .voiceFailed(name.rawValue) }
    unsafe self.voice = voice
    self.name = name
  }

  @safe private struct Found: @unchecked Sendable { let voice: UnsafeMutablePointer<cst_voice>? }

  /// Speaks `text`. Characters that are not ASCII are left out of the sound, and stay in the text.
  /// - Throws: `voiceFailed`.
  public func speak(_ text: String) throws(SpeechError) -> Speech {
    let text = String(text.prefix(Self.longestText))
    let sayable = String(text.map { $0.isASCII && !$0.isNewline && $0 != "\0" ? $0 : " " })
    guard sayable.contains(where: { $0.isLetter || $0.isNumber }) else {
      return Speech(text: text, samples: [Float](repeating: 0, count: 1_600), sampleRate: .hz16000, words: [])
    }
    let speech = Self.turns.withLock { _ in speak(text, as: sayable) }
    guard let speech else { throw .voiceFailed(name.rawValue) }
    return speech
  }

  private func speak(_ text: String, as sayable: String) -> Speech? {
    guard let utterance = unsafe flite_synth_text(sayable, voice) else { return nil }
    defer { unsafe delete_utterance(utterance) }
    guard let wave = unsafe utt_wave(utterance), unsafe wave.pointee.num_samples > 0 else { return nil }
    guard let rate = try? SampleRate(hertz: Int(unsafe wave.pointee.sample_rate)) else { return nil }
    let count = Int(unsafe wave.pointee.num_samples)
    let samples = (0..<count).map { Float(unsafe wave.pointee.samples[$0]) * (1 / 32_768) }

    // Each token is found behind the one before it; what flite has rewritten is passed over.
    let letters = Array(sayable)
    var words: [(end: Int, milliseconds: Double)] = []
    var next = unsafe antiphon_flite_tokens(utterance)
    while let token = unsafe next {
      let name = Array(unsafe String(cString: antiphon_flite_name(token)))
      let end = Double(unsafe antiphon_flite_end(token)) * 1_000
      let start = words.last?.end ?? 0
      if end > 0, !name.isEmpty, let place = Self.find(name, in: letters, from: start) {
        words.append((place + name.count, end))
      }
      unsafe next = item_next(token)
    }
    return Speech(text: text, samples: samples, sampleRate: rate, words: words)
  }

  private static func find(_ name: [Character], in letters: [Character], from start: Int) -> Int? {
    guard letters.count >= start + name.count else { return nil }
    return (start...(letters.count - name.count)).first { Array(letters[$0..<($0 + name.count)]) == name }
  }
}
