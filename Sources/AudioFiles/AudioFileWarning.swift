/// What is odd about an audio file that can be read all the same. Lengths are in bytes or in frames, as named.
public enum AudioFileWarning: Hashable, Sendable, CustomStringConvertible {
  /// The header promises more audio bytes than there are: the file was cut, and what is there was read.
  case cutShort(claimedBytes: Int64, presentBytes: Int64)
  /// The header was never completed, as in a recording that was interrupted or a stream; all that follows was read.
  case neverClosed
  /// The number of frames that the header tells is not the number that was found; the audio decided.
  case frameCountDisagrees(claimed: Int64, found: Int64)
  /// The size in the RIFF header is not where its last chunk ends; it did not matter.
  case formSizeDisagrees(claimedBytes: Int64, presentBytes: Int64)
  /// Bytes behind the audio that belong to nothing.
  case trailingBytes(Int64)
  /// The decoder could not go on after this many frames; those before were read.
  case decodingStopped(atFrame: Int64, reason: String)
  /// Places in an Ogg file where pages are missing or damaged.
  case missingPages(Int)
  /// Pages of an Ogg file whose checksum is wrong; their sound is missing.
  case damagedPages(Int, of: Int)
  /// An Ogg stream without its last page: the file was cut, or its writer interrupted. What is there was read.
  case endMissing
  /// Samples that are not numbers or infinite, passed on as they are.
  case nonFiniteSamples(Int)

  /// One sentence for people, with the numbers.
  public var description: String {
    switch self {
    case .cutShort(let claimed, let present):
      "the file is cut: its header promises \(claimed) bytes of audio, \(present) are there"
    case .neverClosed: "the header tells no length (an interrupted recording or a stream); read to the end"
    case .frameCountDisagrees(let claimed, let found): "the header tells \(claimed) frames, \(found) are there"
    case .formSizeDisagrees(let claimed, let present):
      "the header tells a file of \(claimed) bytes, its chunks end at \(present)"
    case .trailingBytes(let count): "\(count) bytes behind the audio are not part of it"
    case .decodingStopped(let frame, let reason): "decoding stopped after \(frame) frames: \(reason)"
    case .missingPages(let count): "pages are missing or damaged at \(count) places; decoding went on behind them"
    case .damagedPages(let count, let all): "\(count) of \(all) pages are damaged; their sound is missing"
    case .endMissing: "the stream has no end: the file was cut or its writer interrupted; what is there was read"
    case .nonFiniteSamples(let count): "\(count) samples are not finite numbers"
    }
  }
}
