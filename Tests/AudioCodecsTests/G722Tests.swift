import AudioCodecs
import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// G.722 beside an implementation of other origin. A machine without `ffmpeg` fails (Debian: `apt-get install ffmpeg`).
@Suite struct G722Tests {
  private func ffmpeg(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "ffmpeg \(arguments)")
  }

  private func speech() throws -> [Float] {
    var reader = try AudioFileReader(path: testdata.appendingPathComponent("speech/mic.wav").path)
    var samples = [Float](repeating: 0, count: 64_000)
    var span = samples.mutableSpan
    let count = try reader.readMono(into: &span)
    return Array(samples.prefix(count / 320 * 320))
  }

  @Test func decodesAsFFmpegDoesBitForBit() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (codes, pcm) = (folder.appendingPathComponent("a.g722"), folder.appendingPathComponent("a.raw"))
    try ffmpeg(["-i", testdata.appendingPathComponent("speech/mic.wav").path, "-t", "4", "-f", "g722", codes.path])
    try ffmpeg(["-f", "g722", "-i", codes.path, "-f", "s16le", pcm.path])
    let payload = Array(try Data(contentsOf: codes))
    let expected = try Data(contentsOf: pcm)
    var decoder = try AudioDecoder(.g722, sampleRate: .hz48000)
    #expect(decoder.sampleRate == .hz16000)
    var decoded: [Float] = []
    // Packets of any length: 7 bytes do not divide the 10 ms that are decoded at once.
    for start in stride(from: 0, to: payload.count, by: 487) {
      let packet = Array(payload[start..<min(start + 487, payload.count)])
      var frame = [Float](repeating: 0, count: 2 * packet.count)
      var span = frame.mutableSpan
      #expect(try decoder.decode(packet.span, into: &span) == 2 * packet.count)
      decoded += frame
    }
    #expect(decoded.count == expected.count / 2)
    let differences = decoded.indices.filter {
      Float(Int16(bitPattern: UInt16(expected[2 * $0]) | UInt16(expected[2 * $0 + 1]) << 8)) / 32_768 != decoded[$0]
    }
    #expect(differences.isEmpty)
  }

  @Test func speechKeepsFifteenDecibelsBehindTheToldDelay() throws {
    let speech = try speech()
    let decoded = try roundTrip(speech, .g722, .hz16000)
    let encoder = try AudioEncoder(.g722, sampleRate: .hz16000)
    let delay = encoder.algorithmicDelay
    func ratio(_ delay: Int) -> Double {
      signalToNoise(Array(speech.dropLast(delay)), Array(decoded.dropFirst(delay)))
    }
    #expect(ratio(delay) > 15, "\(ratio(delay))")
    for other in [delay - 1, delay + 1] { #expect(ratio(other) < ratio(delay), "a delay of \(other) fits better") }
  }

  @Test func twiceTheClockIsAskedOfStagesThatCountSamples() throws {
    #expect(CodecFormat.g722.samplesPerTick == 2)
    #expect(CodecFormat.g722.onSampleClock.clockRate == 16_000)
    #expect(CodecFormat.g722.onSampleClock.samplesPerTick == 1)
    #expect(CodecFormat.g722.timestampStep == 160)
    #expect(CodecFormat.g722.rtpmap == "9 G722/8000")
    #expect(CodecFormat.opus().onSampleClock == .opus())
  }

  @Test func nothingTouchesTheHeapOrWaits() throws {
    var encoder = try AudioEncoder(.g722, sampleRate: .hz16000)
    var decoder = try AudioDecoder(.g722, sampleRate: .hz16000)
    let frame = SampleBuffer(repeating: 0.1, count: 320)
    var payload = ByteBuffer(repeating: 0, count: 160)
    var samples = SampleBuffer(repeating: 0, count: 320)
    func cycle() throws {
      var bytes = payload.mutableSpan
      _ = try encoder.encode(frame.view, into: &bytes)
      var room = samples.mutableSpan
      _ = try decoder.decode(payload.view, into: &room)
      _ = decoder.conceal(into: &room)
      encoder.reset()
      decoder.reset()
    }
    try cycle()
    let operations = try heapOperations { for _ in 0..<100 { try onRealtimePath { try cycle() } } }
    if let operations { #expect(operations == 0) }
  }
}
