import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

/// What each file of other projects really holds; where the answers come from is told in testdata/README.md.
struct KnownFile: Sendable, CustomTestStringConvertible {
  let name: String
  let frames: Int
  let channels: Int
  let rate: Int
  var maximum: Double?
  var rms: Double?
  var warnings: [AudioFileWarning] = []
  var testDescription: String { name }

  static let all: [KnownFile] = [
    KnownFile(name: "scipy-8000Hz-be-3ch-5S-24bit.wav", frames: 5, channels: 3, rate: 8_000),
    KnownFile(
      name: "scipy-44100Hz-2ch-32bit-float-be.wav", frames: 441, channels: 2, rate: 44_100, maximum: 0.799998,
      rms: 0.570304),
    KnownFile(
      name: "scipy-44100Hz-le-1ch-4bytes-rf64.wav", frames: 4_410, channels: 1, rate: 44_100, maximum: 0.704996,
      warnings: [.frameCountDisagrees(claimed: 41_745, found: 4_410)]),
    KnownFile(
      name: "scipy-44100Hz-le-1ch-4bytes-early-eof.wav", frames: 236, channels: 1, rate: 44_100,
      warnings: [.cutShort(claimedBytes: 17_640, presentBytes: 944)]),
    KnownFile(
      name: "scipy-48000Hz-2ch-64bit-float-le-wavex.wav", frames: 480, channels: 2, rate: 48_000, maximum: 0.799901,
      rms: 0.570323),
    KnownFile(name: "scipy-8000Hz-le-4ch-9S-12bit.wav", frames: 9, channels: 4, rate: 8_000),
    KnownFile(
      name: "hound-nonstandard-01.wav", frames: 1, channels: 2, rate: 48_000, maximum: 0,
      warnings: [.formSizeDisagrees(claimedBytes: 810, presentBytes: 808)]),
    KnownFile(name: "wavefile-no_samples.wav", frames: 0, channels: 1, rate: 44_100),
    KnownFile(name: "wavefile-mono_pcm_8_44100_with_padding_byte.wav", frames: 2_241, channels: 1, rate: 44_100),
    KnownFile(
      name: "wavefile-data_chunk_truncated.wav", frames: 2_240, channels: 1, rate: 44_100,
      warnings: [.cutShort(claimedBytes: 100_000, presentBytes: 2_240)]),
    KnownFile(
      name: "wavefile-extensible_24_in_32.wav", frames: 2_240, channels: 1, rate: 44_100,
      maximum: 3_906_250 / 8_388_608.0),
    KnownFile(
      name: "rochars-8bit-mulaw-8kHz.wav", frames: 48_000, channels: 1, rate: 8_000, maximum: 0.605347, rms: 0.077746,
      warnings: [.formSizeDisagrees(claimedBytes: 48_052, presentBytes: 48_060)]),
    KnownFile(
      name: "rochars-4bit-imaadpcm-8kHz.wav", frames: 53_025, channels: 1, rate: 8_000,
      warnings: [.frameCountDisagrees(claimed: 53_499, found: 53_025)]),
    KnownFile(name: "goaudio-bwf.wav", frames: 7_287, channels: 1, rate: 44_100, maximum: 0.972558),
    KnownFile(name: "goaudio-listChunkInHeader.wav", frames: 15_318, channels: 2, rate: 44_100),
    KnownFile(name: "flac-subset-60-mono.flac", frames: 227_247, channels: 1, rate: 44_100),
    KnownFile(
      name: "flac-faulty-05-wrong-total.flac", frames: 109_487, channels: 1, rate: 24_000,
      warnings: [.frameCountDisagrees(claimed: 39_842, found: 109_487)]),
    KnownFile(
      name: "cpython-pluck-pcm16.au", frames: 3_307, channels: 2, rate: 11_025, maximum: 0.999969, rms: 0.168088),
  ]
}

/// All samples of a file, interleaved, and its reader's warnings.
func readAll(_ path: String) throws -> (samples: [Float], format: AudioFormat, warnings: [AudioFileWarning]) {
  var reader = try AudioFileReader(path: path)
  var samples: [Float] = []
  var block = [Float](repeating: 0, count: 1_000 * reader.format.channelCount)
  while true {
    var span = block.mutableSpan
    let frames = try reader.read(into: &span)
    if frames == 0 { break }
    samples += block[..<(frames * reader.format.channelCount)]
  }
  return (samples, reader.format, reader.warnings)
}

@Suite struct AudioFileReaderTests {
  static let folder = testdata.appendingPathComponent("audio")

  @Test(arguments: KnownFile.all)
  func holdsWhatOthersFound(file: KnownFile) throws {
    let (samples, format, warnings) = try readAll(Self.folder.appendingPathComponent(file.name).path)
    #expect(samples.count == file.frames * file.channels)
    #expect(format.channelCount == file.channels)
    #expect(format.sampleRate.hertz == file.rate)
    #expect(warnings == file.warnings)
    if let maximum = file.maximum { #expect(abs(Double(samples.max() ?? 0) - maximum) < 1e-6) }
    if let rms = file.rms {
      let power = samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(samples.count)
      #expect(abs(power.squareRoot() - rms) < 2e-6)
    }
  }

  @Test(arguments: KnownFile.all)
  func aPipeGivesTheSameSamplesAsTheFile(file: KnownFile) throws {
    let path = Self.folder.appendingPathComponent(file.name).path
    let expected = try readAll(path).samples
    let pipe = try NamedPipe(feeding: Data(contentsOf: URL(fileURLWithPath: path)))
    let streamed = try readAll(pipe.path).samples
    #expect(streamed == expected)
  }
}
