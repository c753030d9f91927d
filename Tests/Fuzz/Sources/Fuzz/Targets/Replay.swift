import AudioFiles
import CallSimulation
import RealtimeCore

/// The input is a datagram that may hold a session description.
func fuzzSessionDescription(_ bytes: [UInt8]) {
  guard let description = SessionDescription(bytes) else { return }
  check((1...64).contains(description.streams.count), "\(description.streams.count) streams")
  for stream in description.streams {
    check([0, 4, 16].contains(stream.address.count), "an address of \(stream.address.count) bytes")
    for (type, name) in stream.names {
      check(type < 128 && (1...64).contains(name.channelCount), "payload type \(type) is \(name)")
      check((1_000...768_000).contains(name.clockRate), "a clock of \(name.clockRate) Hz")
    }
  }
}

/// The input is a capture; every stream that can be played is, for a minute at most.
func fuzzReplay(_ bytes: [UInt8]) throws {
  let file = MemoryFile(bytes)
  guard let survey = try? CaptureSurvey(path: file.path) else { return }
  for stream in survey.streams where stream.isPlayable {
    let replay = try StreamReplay(stream)
    let listener = ReplayListener()
    guard var capture = try? OpenedCapture(path: file.path) else { return }
    do {
      while let datagram = try capture.next() {
        guard RTPStreamSurvey.identity(of: datagram) == stream.stream.identity else { continue }
        try replay.receive(datagram, observer: listener)
      }
      try replay.finish(observer: listener)
    } catch is ReplayListener.Enough {}
    let statistics = replay.statistics
    check(statistics.concealedSamples >= 0 && statistics.totalSamplesReceived >= 0, "negative counters")
  }
}

private final class ReplayListener: StreamReplayObserver {
  struct Enough: Error {}
  private var count = 0

  func received(_ packet: StreamReplay.Packet) {
    check(packet.arrival.nanoseconds >= 0, "a packet before the beginning")
    if let transit = packet.transitMilliseconds { check(transit.isFinite, "a transit that is no number") }
  }

  func played(_ samples: Span<Float>, _ point: StreamReplay.Point) throws {
    for index in samples.indices { check(abs(samples[index]) <= 4, "a sample of \(samples[index])") }
    count += 1
    if count > 6_000 { throw Enough() }
  }
}
