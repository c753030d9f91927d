/// Why a session description was not read, or not agreed on. Each text says what to do.
public enum SDPError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is longer than any real description.
  case tooLong(byteCount: Int, limit: Int)
  /// One line is longer than any real one.
  case lineTooLong(line: Int, byteCount: Int, limit: Int)
  /// There are more lines than any real description has.
  case tooManyLines(limit: Int)
  /// There are more `m=` lines than any real description has.
  case tooManyMedia(limit: Int)
  /// The bytes are no UTF-8 (RFC 8866 §4.5).
  case notUTF8(line: Int)
  /// A line that the rest hangs on (its type and an equals sign, `v=`, `o=`, `m=`, `c=`) has not the form of its kind.
  case malformedLine(line: Int, text: String)
  /// The description lacks a line that every one must have, such as `o=`.
  case missingLine(String)
  /// The description is of another version than 0.
  case wrongVersion(String)
  /// There is no `m=audio` line over RTP that is not refused.
  case noAudio
  /// None of the codecs offered is one of ours.
  case noCommonCodec(offered: [String])
  /// There is no `a=ice-ufrag` with an `a=ice-pwd` of the lengths that RFC 8839 §5.4 demands.
  case noICECredentials
  /// There is no `a=fingerprint` with a hash that can be checked (SHA-256, SHA-384 or SHA-512).
  case noFingerprint
  /// There is no `a=rtcp-mux`; RTCP on a port of its own is not supported.
  case noRTCPMultiplexing
  /// The answer's `a=setup` leaves open who begins DTLS, or gives both ends the same part.
  case impossibleSetup(String)
  /// The answer does not fit the offer: another count of `m=` lines, or another media at a place.
  case answerDoesNotFit(String)
  /// The call came in the wrong state, such as an answer without an offer.
  case wrongState(String)

  /// What is wrong, and what to do about it.
  public var description: String {
    switch self {
    case .tooLong(let byteCount, let limit):
      "the session description has \(byteCount) bytes; send at most \(limit)"
    case .lineTooLong(let line, let byteCount, let limit):
      "line \(line) of the session description has \(byteCount) bytes; send at most \(limit)"
    case .tooManyLines(let limit):
      "the session description has more than \(limit) lines; send fewer candidates or media"
    case .tooManyMedia(let limit): "the session description has more than \(limit) m= lines; send fewer"
    case .notUTF8(let line): "line \(line) of the session description is not UTF-8; send it as UTF-8"
    case .malformedLine(let line, let text):
      "line \(line) of the session description, \"\(text)\", has not the form of RFC 8866; correct it at the sender"
    case .missingLine(let type): "the session description has no \(type) line; add one (RFC 8866 §5)"
    case .wrongVersion(let version): "the session description is of version \"\(version)\"; send version 0"
    case .noAudio: "the session description has no usable m=audio line; offer audio over RTP/SAVPF"
    case .noCommonCodec(let offered):
      "none of the codecs offered (\(offered.joined(separator: ", "))) is enabled here; enable one of them"
    case .noICECredentials:
      "there is no a=ice-ufrag of 4 to 256 and a=ice-pwd of 22 to 256 characters; the peer must use ICE (RFC 8839 §5.4)"
    case .noFingerprint: "there is no a=fingerprint with SHA-256, SHA-384 or SHA-512; the peer must use DTLS-SRTP"
    case .noRTCPMultiplexing: "there is no a=rtcp-mux; let the peer send RTP and RTCP on one port (RFC 5761)"
    case .impossibleSetup(let setup):
      "a=setup:\(setup) decides on no DTLS client here; an answer must say active or passive, not what the offer said"
    case .answerDoesNotFit(let difference):
      "the answer does not fit the offer: \(difference); answer each m= line in order"
    case .wrongState(let state): state
    }
  }
}
