internal import MediaEngine
internal import RealtimeCore

/// What lies between the thread that has the socket and the audio thread: rings for datagrams both ways, for commands and
/// events, and a cell for the newest snapshot.
///
/// - Threads: the network's only; the audio thread has the other ends, in an `EngineClient`.
final class EngineLink {
  /// Room for every codec's packets, L24 at 48 kHz included.
  static let maximumDatagramByteCount = 4_096
  private static let packetCapacity = 256

  private var arriving: PacketRing.Writer
  private var leaving: PacketRing.Reader
  private var commands: ValueRing<MediaCommand>.Writer
  private var events: ValueRing<MediaEvent>.Reader
  private var snapshots: LatestValue<MediaSnapshot?>.Observer
  private var audioEnds: AudioEnds?

  /// The audio thread's ends.
  struct AudioEnds: ~Copyable, Sendable {
    let arriving: PacketRing.Reader
    let leaving: PacketRing.Writer
    let commands: ValueRing<MediaCommand>.Reader
    let events: ValueRing<MediaEvent>.Writer
    let snapshots: LatestValue<MediaSnapshot?>.Publisher
  }

  init() {
    let arriving = PacketRing(
      packetCapacity: Self.packetCapacity, maximumPacketSize: Self.maximumDatagramByteCount)
    let leaving = PacketRing(
      packetCapacity: Self.packetCapacity, maximumPacketSize: Self.maximumDatagramByteCount)
    let commands = ValueRing<MediaCommand>(minimumCapacity: 64)
    let events = ValueRing<MediaEvent>(minimumCapacity: 256)
    let snapshots = LatestValue<MediaSnapshot?>(nil)
    audioEnds = AudioEnds(
      arriving: arriving.reader, leaving: leaving.writer, commands: commands.reader, events: events.writer,
      snapshots: snapshots.publisher)
    self.arriving = arriving.writer
    self.leaving = leaving.reader
    self.commands = commands.writer
    self.events = events.reader
    self.snapshots = snapshots.observer
  }

  /// The audio thread's ends, once.
  func takeAudioEnds() -> AudioEnds? { audioEnds.take() }

  /// A datagram for the engine. When nobody takes them any more, what does not fit is dropped.
  func receive(_ datagram: Span<UInt8>, at arrival: MediaInstant) { _ = arriving.write(datagram, at: arrival) }

  /// The same for what must not be lost.
  /// - Returns: false when there is no room; nothing was taken.
  func offer(_ packet: Span<UInt8>, at arrival: MediaInstant) -> Bool {
    arriving.write(packet, at: arrival) == .written
  }

  /// All datagrams that the engine has to send, oldest first.
  func drain(_ send: (Span<UInt8>) -> Void) {
    while leaving.availableCount > 0 {
      Self.sendFront(of: &leaving, send)
      leaving.removeFront()
    }
  }

  private static func sendFront(of leaving: inout PacketRing.Reader, _ send: (Span<UInt8>) -> Void) {
    let front = leaving.front()
    send(front.span)
  }

  /// False when 64 commands wait already.
  func push(_ command: MediaCommand) -> Bool { commands.push(command) }

  /// The engine's next event.
  func nextEvent() -> MediaEvent? { events.pop() }

  /// `nil` before the first block.
  func latestSnapshot() -> MediaSnapshot? { snapshots.latest() }
}
