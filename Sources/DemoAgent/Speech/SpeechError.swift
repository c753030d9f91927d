/// Why the agent cannot hear or speak.
public enum SpeechError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The recogniser's model is not where it should be.
  case modelMissing(String)
  /// The recogniser refuses model or dictionary.
  case recogniserRefused
  /// The recogniser refuses the phrases.
  case grammarRefused
  /// An utterance cannot be decoded.
  case decodingFailed
  /// The voice is not there, or gives no sound.
  case voiceFailed(String)

  /// What happened, and what to do about it.
  public var description: String {
    switch self {
    case .modelMissing(let path): "there is no \(path); install pocketsphinx-en-us, or say where the model is"
    case .recogniserRefused: "pocketsphinx does not take the model; see that model and dictionary belong together"
    case .grammarRefused: "pocketsphinx does not take the phrases; each of their words must be in the dictionary"
    case .decodingFailed: "pocketsphinx could not decode the utterance; the next one begins anew"
    case .voiceFailed(let name): "flite gives no sound with the voice \(name); install libflite1"
    }
  }
}
