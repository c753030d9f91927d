public import RTPTransport

/// What an engine reports and asks for beside the sound: RTCP (RFC 3550, RFC 4585), as signalling agreed on it.
public struct ControlSettings: Sendable {
  /// The same for the whole call, random (RFC 7022); of more than 255 bytes the first count.
  public var canonicalName: String
  /// Wall-clock time at `MediaInstant.zero` of the axis that the engine is driven on.
  public var ntpAtZero: NTPTimestamp
  /// Random; it spreads the reports of many calls.
  public var seed: UInt64
  /// Mean seconds between two reports, 0.1...60.
  public var interval = 1.0
  /// Whether feedback may come without a report (SDP's `a=rtcp-rsize`).
  public var allowsReducedSize = false
  /// Whether missing packets are asked for again, and sent again when the far end asks (`a=rtcp-fb … nack`).
  public var retransmits = false
  /// Whether arrivals are reported by their transport-wide numbers (`a=rtcp-fb … transport-cc`).
  public var sendsTransportFeedback = false
  /// Within what bits per second Opus follows the far end's reports of loss and round trip; `nil`: it stays as it is set.
  public var bitrateRange: ClosedRange<Int>?

  /// Reports under this name.
  public init(canonicalName: String, ntpAtZero: NTPTimestamp, seed: UInt64) {
    self.canonicalName = canonicalName
    self.ntpAtZero = ntpAtZero
    self.seed = seed
  }
}

/// The elements of RTP's header extension by the IDs that signalling agreed on (`a=extmap`), 1...14; `nil`: not used.
public struct HeaderExtensionSettings: Sendable, Hashable {
  /// The talker's level (RFC 6464).
  public var audioLevel: UInt8?
  /// The number of transport-wide congestion control.
  public var transportSequence: UInt8?
  /// The media line's name (RFC 8843 §15), with `midValue`.
  public var mid: UInt8?
  /// The name that `mid` carries, up to 16 bytes.
  public var midValue: String?

  /// No header extension.
  public init() {}

  var writer: RTPExtensionWriter {
    RTPExtensionWriter(audioLevel: audioLevel, transportSequence: transportSequence, mid: mid, name: midValue)
  }
}
