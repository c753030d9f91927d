import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

// README.md shows the lines between the markers, word for word.
// <!-- example -->
/// A call with your own sound device and your own socket.
func call(on device: inout Device, over socket: inout Socket) throws {
  var engine = try MediaEngine(.voiceAgent)  // Opus, echo canceller, noise suppressor, gain, levels
  var block = SampleBuffer(repeating: 0, count: 480)  // 10 ms at 48 kHz; any size will do
  var datagram = ByteBuffer(repeating: 0, count: 1_500)
  while device.isOpen {
    let now = device.now  // any monotonic clock
    while let packet = socket.receive() { engine.receive(packet.span, at: now) }
    engine.render(into: &block, at: now)
    device.play(block)
    device.record(into: &block)
    engine.capture(block, at: now)
    polling: while true {
      switch engine.poll(into: &datagram, at: now) {
      case .transmit(let byteCount): socket.send(datagram, byteCount)
      case .event(let event): print(event)
      case .wait: break polling
      }
    }
  }
}
// <!-- /example -->

/// A device that records and plays for two seconds of virtual time.
struct Device {
  private(set) var played: [Float] = []
  private var blockCount = 0
  private let voice = sine(440, sampleRate: .hz48000, count: 96_000)

  var isOpen: Bool { blockCount < 200 }
  var now: MediaInstant { MediaInstant(milliseconds: Double(10 * blockCount)) }

  mutating func play(_ block: borrowing SampleBuffer) {
    for index in 0..<block.count { played.append(block[index]) }
  }

  mutating func record(into block: inout SampleBuffer) {
    for index in 0..<block.count { block[index] = voice[blockCount * block.count + index] }
    blockCount += 1
  }
}

/// A socket whose far end sends everything back.
struct Socket {
  private var datagrams: [[UInt8]] = []
  private(set) var sentCount = 0

  mutating func receive() -> [UInt8]? { datagrams.isEmpty ? nil : datagrams.removeFirst() }

  mutating func send(_ datagram: borrowing ByteBuffer, _ byteCount: Int) {
    datagrams.append((0..<byteCount).map { datagram[$0] })
    sentCount += 1
  }
}

@Suite struct EmbeddingExample {
  private static let readme = testdata.deletingLastPathComponent().appendingPathComponent("README.md")

  @Test func theExampleIsACall() throws {
    var device = Device()
    var socket = Socket()
    try call(on: &device, over: &socket)
    #expect(socket.sentCount == 100)
    #expect(device.played.count == 96_000)
    #expect(powerDecibels(device.played[4_800...]) > -60, "the far end sends everything back")
  }

  /// What is printed is what was compiled.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: readme.path), "there is no README.md"))
  func theReadmeShowsTheExample() throws {
    let shown = try Self.example(in: Self.readme).filter { !$0.hasPrefix("```") && !$0.isEmpty }
    let compiled = try Self.example(in: URL(fileURLWithPath: #filePath))
    #expect(shown == compiled)
    #expect(compiled.count < 25)
  }

  /// The lines between the markers of a file.
  private static func example(in file: URL) throws -> [String] {
    let lines = try String(contentsOf: file, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(lines.firstIndex { $0.hasSuffix("<!-- example -->") }, "\(file.lastPathComponent)")
    let end = try #require(lines[start...].firstIndex { $0.hasSuffix("<!-- /example -->") })
    return Array(lines[(start + 1)..<end])
  }
}
