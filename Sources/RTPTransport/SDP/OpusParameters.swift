/// What an end wants to get in Opus packets, and what it may send (RFC 7587 §6.1).
public struct OpusParameters: Hashable, Sendable {
  /// Hertz that the end can play; 8,000 to 48,000.
  public var maximumPlaybackRate: Int?
  /// Bits per second that it wants at most, on the mean; 6,000 to 510,000.
  public var maximumAverageBitrate: Int?
  /// Whether it wants two channels.
  public var isStereo: Bool
  /// Whether it may itself send two.
  public var sendsStereo: Bool
  /// Whether it wants a constant bitrate.
  public var isConstantBitrate: Bool
  /// Whether in-band error correction helps it.
  public var usesInbandFEC: Bool
  /// Whether packets may stop in silence.
  public var usesDTX: Bool
  /// Milliseconds of audio that a packet should have at least.
  public var minimumPacketTime: Int?

  /// A mono voice: what calls offer.
  public static var voice: OpusParameters {
    var parameters = OpusParameters(FormatParameters(""))
    parameters.minimumPacketTime = 10
    parameters.usesInbandFEC = true
    return parameters
  }

  /// Reads a line; a parameter that is malformed or out of its range has its default.
  public init(_ parameters: FormatParameters) {
    func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
      parameters[name].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
    }
    maximumPlaybackRate = number("maxplaybackrate", 8_000...48_000)
    maximumAverageBitrate = number("maxaveragebitrate", 6_000...510_000)
    isStereo = parameters["stereo"] == "1"
    sendsStereo = parameters["sprop-stereo"] == "1"
    isConstantBitrate = parameters["cbr"] == "1"
    usesInbandFEC = parameters["useinbandfec"] == "1"
    usesDTX = parameters["usedtx"] == "1"
    minimumPacketTime = number("minptime", 3...120)
  }

  /// The line; parameters at their defaults are left out.
  public var formatParameters: FormatParameters {
    var pairs: [String] = []
    func add(_ name: String, _ value: Int?) { if let value { pairs.append("\(name)=\(value)") } }
    func add(_ name: String, _ isSet: Bool) { if isSet { pairs.append("\(name)=1") } }
    add("minptime", minimumPacketTime)
    add("maxplaybackrate", maximumPlaybackRate)
    add("maxaveragebitrate", maximumAverageBitrate)
    add("stereo", isStereo)
    add("sprop-stereo", sendsStereo)
    add("cbr", isConstantBitrate)
    add("useinbandfec", usesInbandFEC)
    add("usedtx", usesDTX)
    return FormatParameters(pairs.joined(separator: ";"))
  }
}
