import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct OggOpusTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func speech() throws -> [Float] {
    var reader = try AudioFileReader(path: testdata.appendingPathComponent("speech/agent.wav").path)
    return Array(try reader.readRemainingMono().prefix(48_011))
  }

  @discardableResult
  private func write(_ samples: [Float], to name: String, _ settings: OggOpusSettings = .init()) throws -> String {
    var writer = try OggOpusWriter(path: folder.path(name), format: .mono(.hz16000), settings: settings)
    for start in stride(from: 0, to: samples.count, by: 999) {
      try writer.write(Array(samples[start..<min(samples.count, start + 999)]))
    }
    try writer.finish()
    return folder.path(name)
  }

  @Test func lengthIsExactAndSpeechSurvives() throws {
    let original = try speech()
    var settings = OggOpusSettings()
    settings.bitrate = 64_000
    settings.comments = [.init(name: "TITLE", value: "a test")]
    var reader = try OggOpusReader(path: write(original, to: "a.opus", settings))
    #expect(reader.frameCount == original.count * 3)
    #expect(reader.originalSampleRateHertz == 16_000)
    #expect(reader.comments.contains("TITLE=a test"))
    let decoded = try reader.readRemaining()
    #expect(decoded.count == original.count * 3)
    #expect(reader.warnings.isEmpty)
    // Every third sample stands at an original one; Opus keeps the waveform well at this rate.
    let thinned = original.indices.map { decoded[3 * $0] }
    #expect(signalToNoise(original, thinned) > 10)
  }

  @Test func chainedStreamsFollowEachOther() throws {
    let original = try speech()
    var second = OggOpusSettings()
    second.serialNumber = 2
    var chained = try Data(contentsOf: URL(fileURLWithPath: write(Array(original[..<8_000]), to: "a.opus")))
    chained += try Data(contentsOf: URL(fileURLWithPath: write(Array(original[8_000..<20_000]), to: "b.opus", second)))
    var reader = try OggOpusReader(path: folder.file("c.opus", Array(chained)))
    #expect(reader.frameCount == 60_000)
    #expect(try reader.readRemaining().count == 60_000)
    let pipe = try NamedPipe(feeding: chained)
    var piped = try OggOpusReader(path: pipe.path)
    #expect(piped.frameCount == nil)
    #expect(try piped.readRemaining().count == 60_000)
    var packets = try OggOpusPackets(path: folder.path("c.opus"))
    var samples = 0
    while let packet = try packets.next() { samples += packet.sampleCount }
    #expect(samples >= 60_000 + 2 * packets.preSkip && samples < 60_000 + 2 * packets.preSkip + 4 * 960)
  }

  @Test(arguments: [2_500, 10_000, 20_000, 60_000])
  func packetsHaveTheLengthThatWasAskedFor(microseconds: Int) throws {
    var settings = OggOpusSettings()
    settings.packetDuration = microseconds
    settings.usesVariableBitrate = false
    settings.bitrate = 32_000
    var packets = try OggOpusPackets(path: write(try speech(), to: "a.opus", settings))
    #expect(packets.channelCount == 1)
    var all: [OpusPacket] = []
    while let packet = try packets.next() { all.append(packet) }
    #expect(packets.damagedPageCount == 0)
    #expect(all.count > 3_000_000 / microseconds)
    // The last packet holds what is left.
    #expect(Set(all.dropLast().map(\.sampleCount)) == [microseconds * 48 / 1_000])
    #expect(Set(all.dropLast().map(\.bytes.count)).count == 1)
  }

  @Test func theSameInputGivesTheSameBytes() throws {
    let original = Array(try speech().prefix(10_000))
    var settings = OggOpusSettings()
    settings.serialNumber = 7
    let first = try Data(contentsOf: URL(fileURLWithPath: write(original, to: "a.opus", settings)))
    let second = try Data(contentsOf: URL(fileURLWithPath: write(original, to: "b.opus", settings)))
    #expect(first == second)
  }

  /// Two files that were written with default settings can be put together: their serial numbers differ.
  @Test func defaultFilesCanBeChained() throws {
    let original = Array(try speech().prefix(16_000))
    let chained = try ["a.opus", "b.opus"].flatMap {
      Array(try Data(contentsOf: URL(fileURLWithPath: write(original, to: $0))))
    }
    var reader = try OggOpusReader(path: folder.file("c.opus", chained))
    #expect(try reader.readRemaining().count == 2 * 48_000)
    #expect(reader.warnings == [])
  }

  /// libopusfile says nothing of damaged pages before the first good one of sound.
  @Test func damagedPagesAreCountedWhereverTheyAre() throws {
    let long = try speech() + speech() + speech()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: write(long, to: "a.opus"))))
    let starts = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == Array("OggS".utf8) }
    try #require(starts.count > 8)
    var damaged = bytes
    for page in [2, 4] { damaged[starts[page] + 60] ^= 0xFF }
    damaged[starts[5] + 26] ^= 0x0F  // a wrong length must not take the next page along
    var reader = try OggOpusReader(path: folder.file("b.opus", damaged))
    _ = try reader.readRemaining()
    #expect(reader.damagedPageCount == 3)
    #expect(reader.warnings.contains(.damagedPages(3, of: starts.count)))
  }

  /// What a file that cannot be opened lacks is told by its pages.
  @Test func aFileWithoutSoundSaysWhy() throws {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: write(try speech(), to: "a.opus"))))
    let starts = bytes.indices.dropLast(4).filter { Array(bytes[$0..<$0 + 4]) == Array("OggS".utf8) }
    var damaged = bytes
    for start in starts[2...] { damaged[min(start + 60, damaged.count - 1)] ^= 0xFF }
    for (name, content, words) in [
      ("cut.opus", Array(bytes[..<(starts[2] + 100)]), "cut"), ("flipped.opus", damaged, "no page of sound"),
    ] {
      do {
        var reader = try OggOpusReader(path: folder.file(name, content))
        #expect(try reader.readRemaining().isEmpty, "\(name)")
        #expect(!reader.warnings.isEmpty, "\(name)")
      } catch {
        #expect("\(error)".contains(words), "\(name): \(error)")
      }
    }
  }

  @Test func aDamagedPageIsAHoleNotTheEnd() throws {
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: write(try speech(), to: "a.opus"))))
    bytes[bytes.count / 2] ^= 0xFF
    var packets = try OggOpusPackets(path: folder.file("b.opus", bytes))
    var count = 0
    while try packets.next() != nil { count += 1 }
    #expect(packets.damagedPageCount == 1)
    #expect(count > 50)
    var reader = try OggOpusReader(path: folder.path("b.opus"))
    #expect(try reader.readRemaining().count > 48_000)
  }

  @Test func settingsOutsideTheirRangesAreRefused() throws {
    var refused = [OggOpusSettings](repeating: OggOpusSettings(), count: 4)
    refused[0].bitrate = 1_000
    refused[1].complexity = 11
    refused[2].packetDuration = 15_000
    refused[3].comments = [.init(name: "A=B", value: "")]
    for settings in refused {
      #expect(throws: AudioFileError.self) {
        _ = try OggOpusWriter(path: folder.path("a.opus"), format: .mono(.hz48000), settings: settings)
      }
    }
    #expect(throws: AudioFileError.self) {
      _ = try OggOpusReader(path: testdata.appendingPathComponent("speech/agent.wav").path)
    }
  }
}
