public import Foundation
public import RealtimeCore

extension CallReport {
  /// One signal of the call, with what is known about it.
  public struct Track: Codable, Equatable, Sendable {
    /// Its place in the call: `Microphone`, `Sent`, `Played`.
    public var name: String
    /// A second line: `48 kHz, before processing`.
    public var detail: String?
    /// Whose voice it carries; sets its colour.
    public var side: Side
    /// What the player plays.
    public var audio: AudioClip?
    /// Its outline.
    public var waveform: Waveform?
    /// Its spectrum over time.
    public var spectrogram: SpectrogramGrid?
    /// The levels a visualizer would show.
    public var bands: BandHistory?

    /// Names a track; the parts are set afterwards.
    public init(_ name: String, detail: String? = nil, side: Side) {
      self.name = name
      self.detail = detail
      self.side = side
    }
  }

  /// The two ends of a call.
  public enum Side: String, Codable, Sendable {
    /// The local talker.
    case nearEnd
    /// The remote signal that render plays.
    case farEnd
  }

  /// Audio that a browser can play.
  public struct AudioClip: Codable, Equatable, Sendable {
    /// `audio/wav`, `audio/ogg; codecs=opus`.
    public var mimeType: String
    /// The whole file.
    public var bytes: Data
    /// Where on the common time axis its first sample stands, in seconds.
    public var startSeconds: Double

    /// Wraps a finished file. One hour of Opus at 32 kbit/s takes 14 MB, of 16 kHz WAV 115 MB.
    public init(mimeType: String, bytes: Data, startSeconds: Double = 0) {
      self.mimeType = mimeType
      self.bytes = bytes
      self.startSeconds = startSeconds.finite ?? 0
    }

    /// Mono samples as a 16-bit WAV file.
    /// - Parameter samples: -1...1; what lies outside is clipped, what is no number becomes silence.
    /// - Source: layout after Microsoft/IBM, Multimedia Programming Interface and Data Specifications 1.0 (1991).
    public static func wav(_ samples: [Float], sampleRate: SampleRate, startSeconds: Double = 0) -> AudioClip {
      // An array, since `Data` takes single bytes a hundred times slower.
      var file: [UInt8] = []
      file.reserveCapacity(44 + 2 * samples.count)
      file.append(contentsOf: "RIFF".utf8)
      file.appendLittleEndian(36 + 2 * samples.count, byteCount: 4)
      file.append(contentsOf: "WAVEfmt ".utf8)
      file.appendLittleEndian(16, byteCount: 4)
      file.appendLittleEndian(1, byteCount: 2)  // PCM
      file.appendLittleEndian(1, byteCount: 2)  // one channel
      file.appendLittleEndian(sampleRate.hertz, byteCount: 4)
      file.appendLittleEndian(2 * sampleRate.hertz, byteCount: 4)
      file.appendLittleEndian(2, byteCount: 2)  // bytes per frame
      file.appendLittleEndian(16, byteCount: 2)  // bits per sample
      file.append(contentsOf: "data".utf8)
      file.appendLittleEndian(2 * samples.count, byteCount: 4)
      let whole = samples.map { $0.asInt16.littleEndian }
      unsafe whole.withUnsafeBytes { unsafe file.append(contentsOf: $0) }
      return AudioClip(mimeType: "audio/wav", bytes: Data(file), startSeconds: startSeconds)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func appendLittleEndian(_ value: Int, byteCount: Int) {
    for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}

extension Float {
  /// The nearest 16-bit sample, clipped to -32767...32767; 0 for what is no number.
  var asInt16: Int16 { isNaN ? 0 : Int16((Swift.min(Swift.max(self, -1), 1) * 32_767).rounded()) }
}
