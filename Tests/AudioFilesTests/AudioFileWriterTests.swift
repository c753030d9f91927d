import AudioFiles
import Foundation
import RealtimeCore
import TestSupport
import Testing

@Suite struct AudioFileWriterTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test(arguments: [AudioFileWriter.Encoding.pcm16, .pcm24, .float32], [1, 2, 8])
  func whatIsWrittenIsReadBackToTheStep(encoding: AudioFileWriter.Encoding, channels: Int) throws {
    let format = try AudioFormat(sampleRate: .hz44100, channelCount: channels)
    var random = SeededRandom(seed: 1)
    let samples = random.noise(count: 1_001 * channels, amplitude: 0.99)
    var writer = try AudioFileWriter(path: folder.path("a.wav"), format: format, encoding: encoding)
    try writer.write(Array(samples[..<(100 * channels)]))
    try writer.write(Array(samples[(100 * channels)...]))
    try writer.finish()
    #expect(writer.framesWritten == 1_001)
    #expect(writer.clippedSampleCount == 0)
    let read = try readAll(folder.path("a.wav"))
    #expect(read.format == format)
    #expect(read.warnings.isEmpty)
    let step: Float = encoding == .pcm16 ? 0x1p-16 : encoding == .pcm24 ? 0x1p-24 : 0
    #expect(zip(samples, read.samples).allSatisfy { abs($0 - $1) <= step })
    #expect(samples.count == read.samples.count)
  }

  @Test(arguments: [AudioFileWriter.Encoding.pcm16, .pcm24])
  func flacHoldsTheSameNumbersAsWAV(encoding: AudioFileWriter.Encoding) throws {
    var random = SeededRandom(seed: 2)
    let samples = random.noise(count: 20_000, amplitude: 1.1)
    for name in ["a.wav", "a.flac"] {
      var writer = try AudioFileWriter(path: folder.path(name), format: .mono(.hz16000), encoding: encoding)
      try writer.write(samples)
      try writer.finish()
      #expect(writer.clippedSampleCount == samples.count { abs($0) >= 1 })
    }
    #expect(try readAll(folder.path("a.wav")).samples == readAll(folder.path("a.flac")).samples)
    #expect(try readAll(folder.path("a.flac")).warnings.isEmpty)
  }

  @Test func fullScaleRoundsAndClipsAsDocumented() throws {
    var writer = try AudioFileWriter(path: folder.path("a.wav"), format: .mono(.hz8000))
    try writer.write([1, -1, 2, -2, .infinity, .nan, 0.5 / 32_768, 1.6 / 32_768, -1.6 / 32_768])
    try writer.finish()
    #expect(writer.clippedSampleCount == 4)
    let stored = try readAll(folder.path("a.wav")).samples.map { Int($0 * 32_768) }
    #expect(stored == [32_767, -32_768, 32_767, -32_768, 32_767, 0, 0, 2, -2])
  }

  @Test func ditherTurnsDistortionIntoNoise() throws {
    // A sine of half a step vanishes without dither; with it, its mean survives.
    let quiet = sine(440, sampleRate: .hz48000, count: 48_000, amplitude: 0.4 / 32_768)
    for dithers in [false, true] {
      var writer = try AudioFileWriter(path: folder.path("a.wav"), format: .mono(.hz48000), dither: dithers)
      try writer.write(quiet)
      try writer.finish()
      let read = try readAll(folder.path("a.wav")).samples
      let correlation = zip(quiet, read).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
      let own = quiet.reduce(0.0) { $0 + Double($1) * Double($1) }
      #expect(abs(correlation / own - (dithers ? 1 : 0)) < 0.05)
    }
  }

  @Test func aPipeCarriesAStreamThatReadsToItsEnd() throws {
    let samples = sine(300, sampleRate: .hz16000, count: 5_000)
    let path = folder.path("pipe")
    #expect(unsafe mkfifo(path, 0o600) == 0)
    Thread.detachNewThread {
      guard var writer = try? AudioFileWriter(path: path, format: .mono(.hz16000), encoding: .float32) else { return }
      for start in stride(from: 0, to: 5_000, by: 160) {
        try? writer.write(Array(samples[start..<min(5_000, start + 160)]))
      }
      try? writer.finish()
    }
    var reader = try AudioFileReader(path: path)
    #expect(reader.frameCount == nil)
    #expect(try reader.readRemainingMono() == samples)
    #expect(reader.warnings == [.neverClosed])
  }

  @Test func aFullDiskIsTold() throws {
    var writer = try AudioFileWriter(path: "/dev/full", format: .mono(.hz48000))
    #expect(throws: AudioFileError.self) {
      try writer.write([Float](repeating: 0, count: 200_000))
      try writer.finish()
    }
    #expect(throws: AudioFileError.folderMissing(path: folder.path("none/a.wav"))) {
      _ = try AudioFileWriter(path: folder.path("none/a.wav"), format: .mono(.hz8000))
    }
    #expect(throws: AudioFileError.self) {
      _ = try AudioFileWriter(path: folder.path("a.flac"), format: .mono(.hz8000), encoding: .float32)
    }
  }

  @Test func aForgottenFinishStillLeavesAWholeFile() throws {
    do {
      var writer = try AudioFileWriter(path: folder.path("a.wav"), format: .mono(.hz8000))
      try writer.write([0.5, -0.5])
    }
    #expect(try readAll(folder.path("a.wav")).samples == [0.5, -0.5])
    #expect(try readAll(folder.path("a.wav")).warnings.isEmpty)
  }
}
