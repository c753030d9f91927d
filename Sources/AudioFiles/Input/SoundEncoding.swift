internal import CSndfile

/// Names for the codes of libsndfile and for what WAV's "fmt " says beyond them.
enum SoundEncoding {
  static func isFloatingPoint(_ code: Int32) -> Bool {
    [Int(SF_FORMAT_FLOAT), Int(SF_FORMAT_DOUBLE)].contains(Int(code) & Int(SF_FORMAT_SUBMASK))
  }

  static func lossFreeEncoding(of code: Int32) -> AudioFileWriter.Encoding {
    if isFloatingPoint(code) { return .float32 }
    let deep = [Int(SF_FORMAT_PCM_24), Int(SF_FORMAT_PCM_32), Int(SF_FORMAT_ALAC_24), Int(SF_FORMAT_ALAC_32)]
    return deep.contains(Int(code) & Int(SF_FORMAT_SUBMASK)) ? .pcm24 : .pcm16
  }

  /// Whether a frame of this WAV format has a fixed number of bytes: PCM, float, A-law, µ-law.
  static func isLinear(tag: Int) -> Bool { [1, 3, 6, 7].contains(tag) }

  static func description(of code: Int32, wav: RIFFLayout.Format?) -> String {
    let container = containers[Int(code) & Int(SF_FORMAT_TYPEMASK)] ?? "other container"
    var coding = codings[Int(code) & Int(SF_FORMAT_SUBMASK)] ?? "other coding"
    if let wav, wav.tag == 1, wav.validBits < wav.containerBits, wav.validBits > 0 {
      coding = "PCM \(wav.validBits) bit in containers of \(wav.containerBits)"
    }
    return "\(container), \(coding)"
  }

  private static let containers: [Int: String] = [
    Int(SF_FORMAT_WAV): "WAV", Int(SF_FORMAT_WAVEX): "WAV (extensible)", Int(SF_FORMAT_RF64): "RF64",
    Int(SF_FORMAT_W64): "W64", Int(SF_FORMAT_FLAC): "FLAC", Int(SF_FORMAT_AIFF): "AIFF", Int(SF_FORMAT_AU): "AU",
    Int(SF_FORMAT_CAF): "CAF", Int(SF_FORMAT_OGG): "Ogg", Int(SF_FORMAT_MPEG): "MPEG",
  ]

  private static let codings: [Int: String] = [
    Int(SF_FORMAT_PCM_S8): "PCM 8 bit", Int(SF_FORMAT_PCM_U8): "PCM 8 bit unsigned",
    Int(SF_FORMAT_PCM_16): "PCM 16 bit",
    Int(SF_FORMAT_PCM_24): "PCM 24 bit", Int(SF_FORMAT_PCM_32): "PCM 32 bit", Int(SF_FORMAT_FLOAT): "float 32 bit",
    Int(SF_FORMAT_DOUBLE): "float 64 bit", Int(SF_FORMAT_ULAW): "µ-law", Int(SF_FORMAT_ALAW): "A-law",
    Int(SF_FORMAT_IMA_ADPCM): "IMA ADPCM", Int(SF_FORMAT_MS_ADPCM): "Microsoft ADPCM",
    Int(SF_FORMAT_GSM610): "GSM 6.10",
    Int(SF_FORMAT_G721_32): "G.721 ADPCM", Int(SF_FORMAT_VORBIS): "Vorbis", Int(SF_FORMAT_OPUS): "Opus",
    Int(SF_FORMAT_MPEG_LAYER_III): "MP3", Int(SF_FORMAT_ALAC_16): "ALAC 16 bit",
  ]
}
