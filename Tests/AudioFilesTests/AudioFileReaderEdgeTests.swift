import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct AudioFileReaderEdgeTests {
  let folder: TemporaryFolder
  private var audio: URL { testdata.appendingPathComponent("audio") }

  init() throws { folder = try TemporaryFolder() }

  /// A WAV file of one second of 16-bit silence whose length fields are as given.
  private func wav(formSize: UInt32, dataSize: UInt32, bytes: Int = 16_000) -> [UInt8] {
    typealias Build = CaptureBuilder
    return Build.join(
      Array("RIFF".utf8), Build.little(formSize), Array("WAVEfmt ".utf8), Build.little(UInt32(16)),
      Build.little(UInt16(1)), Build.little(UInt16(1)), Build.little(UInt32(8_000)), Build.little(UInt32(16_000)),
      Build.little(UInt16(2)), Build.little(UInt16(16)), Array("data".utf8), Build.little(dataSize),
      [UInt8](repeating: 0, count: bytes))
  }

  static let unknownSizes: [(UInt32, UInt32)] = [
    (0, 0), (36, 0), (0xFFFF_FFFF, 0xFFFF_FFFF), (0x7FFF_F024, 0x7FFF_F000),
  ]

  @Test(arguments: unknownSizes)
  func headersThatWereNeverCompletedReadToTheEnd(formSize: UInt32, dataSize: UInt32) throws {
    let path = try folder.file("a.wav", wav(formSize: formSize, dataSize: dataSize))
    let read = try readAll(path)
    #expect(read.samples.count == 8_000)
    #expect(read.warnings == [.neverClosed])
    let pipe = try NamedPipe(feeding: Data(wav(formSize: formSize, dataSize: dataSize)))
    #expect(try readAll(pipe.path).samples.count == 8_000)
  }

  @Test func bytesBehindTheAudioAreNotSound() throws {
    var bytes = wav(formSize: 16_036, dataSize: 16_000)
    bytes += [UInt8](repeating: 0xAA, count: 333)
    let read = try readAll(try folder.file("a.wav", bytes))
    #expect(read.samples.count == 8_000)
    #expect(read.warnings == [.trailingBytes(333)])
  }

  @Test func aStreamThatBreaksOffIsTold() throws {
    let pipe = try NamedPipe(feeding: Data(wav(formSize: 16_036, dataSize: 16_000, bytes: 9_001)))
    let read = try readAll(pipe.path)
    #expect(read.samples.count == 4_500)
    #expect(read.warnings == [.cutShort(claimedBytes: 16_000, presentBytes: 9_000)])
  }

  @Test func aCutFLACGivesWhatItHolds() throws {
    let whole = try Data(contentsOf: audio.appendingPathComponent("flac-subset-60-mono.flac"))
    let read = try readAll(try folder.file("a.flac", Array(whole.prefix(30_000))))
    #expect((100_000..<227_247).contains(read.samples.count))
    #expect(read.warnings.contains(.frameCountDisagrees(claimed: 227_247, found: Int64(read.samples.count))))
  }

  @Test func containersAndCodingsAreNamed() throws {
    let names = [
      "wavefile-extensible_24_in_32.wav": "WAV (extensible), PCM 24 bit in containers of 32",
      "scipy-8000Hz-le-4ch-9S-12bit.wav": "WAV, PCM 12 bit in containers of 16",
      "rochars-8bit-mulaw-8kHz.wav": "WAV, µ-law", "rochars-4bit-imaadpcm-8kHz.wav": "WAV, IMA ADPCM",
      "scipy-44100Hz-le-1ch-4bytes-rf64.wav": "RF64, PCM 32 bit", "flac-subset-60-mono.flac": "FLAC, PCM 16 bit",
      "cpython-pluck-pcm16.au": "AU, PCM 16 bit", "goaudio-bwf.wav": "WAV, PCM 24 bit",
    ]
    for (name, description) in names {
      let reader = try AudioFileReader(path: audio.appendingPathComponent(name).path)
      #expect(reader.encodingDescription == description)
    }
  }

  @Test func samplesAreScaledByTheirValidBits() throws {
    let twelve = try readAll(audio.appendingPathComponent("scipy-8000Hz-le-4ch-9S-12bit.wav").path).samples
    #expect(twelve[4..<12].map { Int($0 * 2_048) } == [1_448, 2_047, 1_448, 0, 2_047, 0, -2_048, 0])
    let three = try readAll(audio.appendingPathComponent("scipy-8000Hz-be-3ch-5S-24bit.wav").path).samples
    #expect(three.map { Int($0 * 8_388_608) }.prefix(6) == [-8_388_608, -8_388_607, -2, -4_194_304, -4_194_303, -1])
    let square = try readAll(audio.appendingPathComponent("wavefile-extensible_24_in_32.wav").path).samples
    #expect(Set(square.map { Int($0 * 8_388_608) }) == [-3_906_250, 3_906_250])
    #expect(square.prefix(4).allSatisfy { $0 < 0 })
  }

  @Test func severalChannelsMixToTheirMean() throws {
    let path = audio.appendingPathComponent("cpython-pluck-pcm16.au").path
    let both = try readAll(path).samples
    var reader = try AudioFileReader(path: path)
    let mono = try reader.readRemainingMono()
    #expect(mono.count == 3_307)
    #expect(mono.indices.allSatisfy { mono[$0] == (both[2 * $0] + both[2 * $0 + 1]) / 2 })
  }

  @Test func notANumberIsCountedAndPassedOn() throws {
    var writer = try AudioFileWriter(path: folder.path("a.wav"), format: .mono(.hz8000), encoding: .float32)
    try writer.write([0, .nan, .infinity, 1.5])
    try writer.finish()
    var reader = try AudioFileReader(path: folder.path("a.wav"))
    let samples = try reader.readRemainingMono()
    #expect(samples[1].isNaN && samples[2] == .infinity && samples[3] == 1.5)
    #expect(reader.nonFiniteSampleCount == 2)
    #expect(reader.warnings == [.nonFiniteSamples(2)])
  }

  @Test func whatIsNoAudioIsRefusedWithAReason() throws {
    #expect(throws: AudioFileError.empty(path: folder.path("e"))) {
      _ = try AudioFileReader(path: folder.file("e", []))
    }
    #expect(throws: AudioFileError.notFound(path: folder.path("n"))) { _ = try AudioFileReader(path: folder.path("n")) }
    #expect(throws: AudioFileError.isDirectory(path: folder.url.path)) {
      _ = try AudioFileReader(path: folder.url.path)
    }
    for bytes in [Array("hello, this is a text".utf8), [UInt8](repeating: 0, count: 4_000), [1]] {
      let path = try folder.file("x", bytes)
      #expect { _ = try AudioFileReader(path: path) } throws: { error in
        guard case .unrecognized = error as? AudioFileError else { return false }
        return true
      }
    }
    #expect(throws: AudioFileError.self) { _ = try AudioFileReader(path: "/dev/zero") }
    for name in ["wavefile-format_chunk_after_data_chunk.wav", "scipy-44100Hz-le-1ch-4bytes-incomplete-chunk.wav"] {
      #expect {
        _ = try AudioFileReader(path: audio.appendingPathComponent(name).path)
      } throws: { error in
        guard case .damaged = error as? AudioFileError else { return false }
        return true
      }
    }
  }
}
