public import RTPTransport
public import RealtimeCore

/// W3C's RTCTransportStats of one transport, and what was dropped and why.
public struct TransportStatistics: Sendable {
  /// Datagrams with DTLS, RTP or RTCP that were sent; libnice's own checks are not counted.
  public var packetsSent = 0
  /// Datagrams of that kind that came over a checked path.
  public var packetsReceived = 0
  /// Bytes of those sent, without the heads of UDP and IP.
  public var bytesSent = 0
  /// Bytes of those received, without the heads of UDP and IP.
  public var bytesReceived = 0
  /// Datagrams that the socket or the state of the path did not take (RTCIceCandidatePairStats).
  public var packetsDiscardedOnSend = 0
  /// Their bytes.
  public var bytesDiscardedOnSend = 0
  /// When the last datagram went.
  public var lastPacketSentTimestamp: MediaInstant?
  /// When the last datagram came.
  public var lastPacketReceivedTimestamp: MediaInstant?

  /// Whether this end decides which pair is taken, W3C's iceRole, as it began: a conflict of roles may change it unseen.
  public var isControlling = false
  /// How far ICE is.
  public var iceState = ICEState.new
  /// This end's name in checks; changes with a restart.
  public var iceLocalUsernameFragment = ""
  /// How far DTLS is.
  public var dtlsState = DTLSTransport.State.new
  /// This end's part in the handshake.
  public var dtlsRole: DTLSRole?
  /// The profile agreed on.
  public var srtpCipher: SRTPProfile?
  /// How often packets took another path.
  public var selectedCandidatePairChanges = 0
  /// RTCIceCandidatePairStats' ends; libnice does not tell its round trip time: RTCP does.
  public var selectedCandidatePair: ICECandidatePair?
  /// The counts of ICE.
  public var ice = ICEStatistics()

  /// RTP and RTCP that came before the keys were there, or after a failure.
  public var datagramsWithoutKeys = 0
  /// Datagrams longer than the limit, either way.
  public var oversizedDatagrams = 0
  /// Datagrams that were neither DTLS, RTP nor RTCP.
  public var unknownDatagrams = 0
  /// Datagrams that looked like DTLS and were none, or came when none was expected.
  public var ignoredDTLSDatagrams = 0
}
