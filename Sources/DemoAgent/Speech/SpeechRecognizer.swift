internal import CPocketSphinx
internal import Foundation

/// Sound at 16 kHz to the words of a known set of phrases, by pocketsphinx.
///
/// Each utterance is decoded twice: as one of the phrases, and as any row of phones. Where the phones fit much better, none
/// of the phrases was said, and the answer is `nil`. A question of 1.5 s takes about 0.2 s.
/// - Threads: any one at a time; not for an event loop's.
/// - Licence: pocketsphinx and its English model are under a BSD-like licence of Carnegie Mellon University.
@safe  // `decoder` is made in init, used only here, freed once in deinit
public struct SpeechRecognizer: ~Copyable, @unchecked Sendable {
  /// Where Debian's pocketsphinx-en-us is.
  public static let modelFolder = "/usr/share/pocketsphinx/model/en-us"

  private let decoder: OpaquePointer
  /// How much better the phones may fit, in the library's log units over the whole utterance. Chosen on seventeen phrases
  /// by four voices of flite: those that were said lie above -2,600, others that were mistaken for one below -3,400.
  private static let worstFit = -3_000

  /// Loads the model, about 0.4 s.
  /// - Parameter grammar: phrases in JSGF.
  public init(grammar: String = SpeechGrammar.text, modelFolder: String = Self.modelFolder) throws(SpeechError) {
    let (model, dictionary) = (modelFolder + "/en-us", modelFolder + "/cmudict-en-us.dict")
    // The library ends the process when some of its files are missing.
    for path in [model + "/mdef", model + "/means", model + "/feat.params", dictionary]
    where !FileManager.default.isReadableFile(atPath: path) {
      throw .modelMissing(path)
    }
    guard let decoder = unsafe antiphon_sphinx_new(model, dictionary) else { throw .recogniserRefused }
    guard unsafe ps_set_jsgf_string(decoder, "phrases", grammar) == 0,
      unsafe ps_set_allphone(decoder, "phones", nil) == 0
    else {
      unsafe ps_free(decoder)
      throw .grammarRefused
    }
    unsafe self.decoder = decoder
  }

  deinit { unsafe ps_free(decoder) }

  /// The words of an utterance, lower case; `nil` when it is none of the phrases.
  /// - Parameter samples: the utterance with a little silence around it, 16 kHz.
  public mutating func recognise(_ samples: [Float]) throws(SpeechError) -> String? {
    // The model's front end takes digital silence badly: a little noise, 1 or 2 steps, always the same.
    let pcm = samples.enumerated().map { index, sample in
      Int16(clamping: Int((sample.isFinite ? max(-1, min(1, sample)) : 0) * 32_767) + index &* 7_919 % 5 - 2)
    }
    guard let phrase = try decode(pcm, as: "phrases") else { return nil }
    guard let phones = try decode(pcm, as: "phones") else { return nil }
    return phrase.score - phones.score >= Self.worstFit ? phrase.words : nil
  }

  private func decode(_ pcm: [Int16], as search: String) throws(SpeechError) -> (words: String, score: Int)? {
    guard unsafe ps_set_search(decoder, search) == 0, unsafe antiphon_sphinx_decode(decoder, pcm, pcm.count) >= 0 else {
      throw .decodingFailed
    }
    var score: Int32 = 0
    guard let words = unsafe ps_get_hyp(decoder, &score) else { return nil }
    return (unsafe String(cString: words), Int(score))
  }
}
