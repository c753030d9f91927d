import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// Seeded damage to every valid file: a reader may refuse or stop early, never crash, hang, or give more than there is.
@Suite struct MutationTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mutated(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
      // Most of the structure is in the first bytes; damage there is more telling.
      let limit = Bool.random(using: &random) ? min(bytes.count, 120) : bytes.count
      let place = Int.random(in: 0..<limit, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[place] = [0, 0xFF, 0x7F, 0x80].randomElement(using: &random) ?? 0
      case 2: bytes.removeSubrange(place...)
      case 3: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...16, using: &random)))
      default: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 9)], at: place)
      }
    }
    return bytes
  }

  private func files(_ part: String) throws -> [URL] {
    let root = testdata.appendingPathComponent(part)
    let names = try #require(FileManager.default.enumerator(atPath: root.path)).compactMap { $0 as? String }.sorted()
    return names.filter {
      ["wav", "flac", "au", "pcap", "pcapng", "rtp", "bin", "csv"].contains(($0 as NSString).pathExtension)
    }
    .map { root.appendingPathComponent($0) }
  }

  /// Runs `use` on damaged copies of each file of `part`.
  private func damage(_ part: String, rounds: Int, _ use: (String) throws -> Void) throws {
    var random = SeededRandom(seed: 20_26)
    for url in try files(part) {
      let bytes = Array(try Data(contentsOf: url).prefix(60_000))
      for round in 0..<rounds {
        let path = try folder.file("m", mutated(bytes, &random))
        do { try use(path) } catch is AudioFileError {} catch {
          Issue.record("\(url.lastPathComponent), round \(round): \(error)")
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2))) func damagedAudio() throws {
    try damage("audio", rounds: 60) { path in
      var reader = try AudioFileReader(path: path)
      var block = [Float](repeating: 0, count: 4_096)
      var span = block.mutableSpan
      // A damaged FLAC or ADPCM header can turn few bytes into much silence; a minute is enough to look at.
      var frames = 0
      while frames < 3_000_000 {
        let count = try reader.readMono(into: &span)
        if count == 0 { break }
        frames += count
      }
    }
  }

  @Test(.timeLimit(.minutes(2))) func damagedCaptures() throws {
    try damage("captures", rounds: 60) { path in
      var capture = try CaptureFile(path: path)
      var survey = RTPStreamSurvey()
      var bytes = 0
      while let datagram = try capture.next() {
        survey.add(datagram)
        bytes += datagram.payload.count
      }
      #expect(bytes <= 60_200)
      for stream in survey.streams { #expect(stream.lostCount >= 0 && stream.lostCount <= stream.expectedCount) }
    }
  }

  @Test(.timeLimit(.minutes(2))) func damagedTracesAndPackets() throws {
    try damage("network", rounds: 100) { path in
      if let trace = try? NetworkTrace(path: path) { #expect(trace.rows.count <= 2_000) }
      var packets = try PacketFile(path: path)
      while try packets.next() != nil {}
    }
  }

  @Test(.timeLimit(.minutes(2))) func damagedOggOpus() throws {
    var writer = try OggOpusWriter(path: folder.path("a.opus"), format: .mono(.hz16000))
    var seeded = SeededRandom(seed: 3)
    try writer.write(seeded.noise(count: 16_000, amplitude: 0.3))
    try writer.finish()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: folder.path("a.opus"))))
    var random = SeededRandom(seed: 4)
    for _ in 0..<300 {
      let path = try folder.file("m.opus", mutated(bytes, &random))
      do throws(AudioFileError) {
        var packets = try OggOpusPackets(path: path)
        while try packets.next() != nil {}
        var reader = try OggOpusReader(path: path)
        #expect(try reader.readRemaining().count < 48_000 * 60)
      } catch {}
    }
  }

  @Test func aHeaderThatClaimsFourGigabytesAllocatesNothing() throws {
    var bytes = Array(try Data(contentsOf: testdata.appendingPathComponent("audio/wavefile-no_samples.wav")))
    bytes.replaceSubrange(40..<44, with: [0xF0, 0xFF, 0xFF, 0x6F])
    let before = residentBytes()
    var reader = try AudioFileReader(path: folder.file("a.wav", bytes))
    #expect(try reader.readRemainingMono().isEmpty)
    let pcap = CaptureBuilder.pcap(linkType: 1, frames: []) + [UInt8](repeating: 0xFF, count: 16)
    var capture = try CaptureFile(path: folder.file("a.pcap", pcap))
    #expect(try capture.next() == nil)
    #expect(residentBytes() - before < 64 << 20)
  }

  private func residentBytes() -> Int {
    let words = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ") ?? []
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 : 0
  }
}
