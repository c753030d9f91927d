public import AudioFiles
public import RTPTransport
internal import RealtimeCore

/// The datagrams of a capture, with those of SRTP streams opened by the keys at hand.
///
/// Which key belongs to which stream shows when one of them authenticates its first packet. Packets that no key opens are
/// handed on as they are, and counted.
/// - Threads: one at a time; blocks on the disk or pipe.
public struct OpenedCapture: ~Copyable {
  /// The capture itself, for its counts and warnings.
  public private(set) var file: CaptureFile
  /// RTP packets of each stream that no key opened.
  public private(set) var closedCounts: [RTPStream.Identity: Int] = [:]

  private let keys: [SRTPKey]
  private var receivers: [RTPStream.Identity: StreamReceiver] = [:]

  /// Opens `path` ("-" is standard input).
  /// - Parameter keys: none for plain RTP.
  public init(path: String, keys: [SRTPKey] = []) throws(AudioFileError) {
    file = try CaptureFile(path: path)
    self.keys = keys
  }

  /// The next datagram; `nil` at the end.
  public mutating func next() throws(AudioFileError) -> Datagram? {
    guard let datagram = try file.next() else { return nil }
    return keys.isEmpty || datagram.isMarkedControl ? datagram : open(datagram)
  }

  /// Whether every packet of the stream so far was opened.
  public func isOpen(_ stream: RTPStream.Identity) -> Bool {
    keys.isEmpty || receivers[stream] != nil
  }

  private mutating func open(_ datagram: Datagram) -> Datagram {
    let bytes = datagram.payload
    guard case .rtp = DatagramKind(bytes.span), bytes.count >= RTPHeader.byteCount else { return datagram }
    let ssrc = bytes[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let stream = RTPStream.Identity(source: datagram.source, destination: datagram.destination, ssrc: ssrc)
    if let receiver = receivers[stream] {
      if let opened = receiver.open(bytes) { return datagram.with(opened) }
    } else {
      for key in keys {
        guard let receiver = StreamReceiver(key), let opened = receiver.open(bytes) else { continue }
        receivers[stream] = receiver
        return datagram.with(opened)
      }
    }
    closedCounts[stream, default: 0] += 1
    return datagram
  }
}

/// One stream's receiver; a class, since a dictionary cannot hold what is not copyable.
private final class StreamReceiver {
  private var receiver: SRTPReceiver

  init?(_ key: SRTPKey) {
    // A capture knows no deadline: as much disorder as the index allows.
    guard let receiver = try? SRTPReceiver(key: key, maximumSourceCount: 1, replayWindow: 32_767) else { return nil }
    self.receiver = receiver
  }

  /// The plain packet; `nil` when it is not authentic.
  func open(_ packet: [UInt8]) -> [UInt8]? {
    var bytes = packet
    do throws(SRTPError) {
      var span = bytes.mutableSpan
      let count = try receiver.unprotect(&span, byteCount: packet.count)
      return Array(bytes.prefix(count))
    } catch {
      switch error {
      // A second copy of what came before: its header counts, nobody decodes it.
      case .replayed: return Array(packet.dropLast(receiver.profile.trailerByteCount))
      default: return nil
      }
    }
  }
}

extension Datagram {
  /// The same with another payload, complete.
  fileprivate func with(_ payload: [UInt8]) -> Datagram {
    Datagram(arrival: arrival, source: source, destination: destination, payload: payload)
  }
}
