public import AudioFiles
public import RTPTransport
internal import RealtimeCore

/// The datagrams of a capture, with those of SRTP streams opened by the keys at hand.
///
/// Keys are the caller's, or else those that SDP in the capture tells (`a=crypto`, RFC 4568). Which of them belongs to which
/// stream shows when one authenticates its first packet. Packets that no key opens are handed on as they are; of streams
/// that must have a key they are counted.
/// - Threads: one at a time; blocks on the disk or pipe.
public struct OpenedCapture: ~Copyable {
  /// The capture itself, for its counts and warnings.
  public private(set) var file: CaptureFile
  /// RTP packets of each stream that no key opened.
  public private(set) var closedCounts: [RTPStream.Identity: Int] = [:]

  /// The caller's keys, or those found so far.
  public private(set) var keys: [SRTPKey]
  private let findsKeys: Bool
  private var receivers: [RTPStream.Identity: StreamReceiver] = [:]

  /// Opens `path` ("-" is standard input).
  /// - Parameter keys: none for plain RTP, and for keys that are in the capture.
  public init(path: String, keys: [SRTPKey] = []) throws(AudioFileError) {
    file = try CaptureFile(path: path)
    self.keys = keys
    findsKeys = keys.isEmpty
  }

  /// The next datagram; `nil` at the end.
  public mutating func next() throws(AudioFileError) -> Datagram? {
    guard let datagram = try file.next() else { return nil }
    if findsKeys { noteKeys(in: datagram) }
    return keys.isEmpty || datagram.isMarkedControl ? datagram : open(datagram)
  }

  /// Whether a key has opened the stream; without keys of the caller, also whether it may be a plain one.
  public func isOpen(_ stream: RTPStream.Identity) -> Bool { findsKeys || isOpened(stream) }

  /// Whether a key has opened the stream.
  public func isOpened(_ stream: RTPStream.Identity) -> Bool { receivers[stream] != nil }

  /// More different keys than calls in any capture that one listens to.
  private static let keyLimit = 256

  private mutating func noteKeys(in datagram: Datagram) {
    if case .rtp = DatagramKind(datagram.payload.span) { return }
    guard let description = SessionDescription(datagram.payload) else { return }
    for told in description.streams.flatMap(\.keys) where keys.count < Self.keyLimit {
      guard let profile = SRTPProfile(sdpName: told.suite), let key = try? SRTPKey(profile, inline: told.parameter),
        !keys.contains(key)
      else { continue }
      keys.append(key)
    }
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
      // Beside streams with keys in the SDP there may be plain ones.
      if findsKeys { return datagram }
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
