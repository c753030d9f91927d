/// An `m=` line of a session description with the lines that belong to it (RFC 8866 §5.14).
public struct SDPMedia: Hashable, Sendable {
  /// "audio", "video", "application".
  public var kind: String
  /// The UDP port; 0 when the media is refused (RFC 3264 §6), 9 when only candidates tell it (RFC 9429 §5.2.1).
  public var port: UInt16
  /// Ports in a row, where there are several.
  public var portCount: Int?
  /// Such as "UDP/TLS/RTP/SAVPF".
  public var transport: String
  /// Payload types in order of preference, for RTP.
  public var formats: [String]
  /// The `c=` line, where there is one.
  public var connection: SDPConnection?
  /// Lines of other types, such as `b=`, in the RFC's order of types.
  public var otherLines: [SDPLine]
  /// The `a=` lines, in order.
  public var attributes: [SDPAttribute]

  /// Media with these fields.
  public init(
    kind: String, port: UInt16, transport: String, formats: [String], connection: SDPConnection? = nil,
    attributes: [SDPAttribute] = []
  ) {
    self.kind = kind
    self.port = port
    self.transport = transport
    self.formats = formats
    self.connection = connection
    otherLines = []
    self.attributes = attributes
  }

  /// "audio 9 UDP/TLS/RTP/SAVPF 111 63"
  init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count >= 3 else { return nil }
    let ports = words[1].split(separator: "/", maxSplits: 1).map(String.init)
    guard let first = ports.first, let port = UInt16(first) else { return nil }
    self.init(kind: words[0], port: port, transport: words[2], formats: Array(words.dropFirst(3)))
    if ports.count == 2 {
      guard let count = UInt16(ports[1]) else { return nil }
      portCount = Int(count)
    }
  }

  var lineText: String {
    ([kind, "\(port)" + (portCount.map { "/\($0)" } ?? ""), transport] + formats).joined(separator: " ")
  }

  /// Whether packets go by RTP, protected or not.
  public var isRTP: Bool { transport.split(separator: "/").contains("RTP") }
}
