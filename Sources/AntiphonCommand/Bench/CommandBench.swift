import Antiphon
import Foundation

/// The commands on a made-up recording, reading and writing included.
struct CommandBench {
  private let voice: MadeUpVoice
  private let seconds: Int

  init(_ voice: MadeUpVoice, seconds: Int) {
    self.voice = voice
    self.seconds = seconds
  }

  func rows() throws -> [BenchRow] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-bench-\(UUID().uuidString)")
    try createDirectory(folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    try write(to: path("48k.wav"))
    let narrow = try row("resample 48 to 16 kHz") {
      try ResampleCommand(words(ResampleCommand.self, "--rate", "16000", path("48k.wav"), path("16k.wav"))).convert()
        .seconds
    }
    let wide = try row("resample 16 to 48 kHz") {
      try ResampleCommand(words(ResampleCommand.self, "--rate", "48000", path("16k.wav"), path("wide.wav"))).convert()
        .seconds
    }
    let echo = try row("cancel-echo at 16 kHz") {
      try CancelEchoCommand(
        words(
          CancelEchoCommand.self, "--far", path("16k.wav"), "--near", path("16k.wav"), "--out", path("echo.wav"))
      ).convert().seconds
    }
    let encode = try row("encode, complexity 10") {
      try EncodeCommand(words(EncodeCommand.self, path("48k.wav"), path("voice.opus"))).convert().seconds
    }
    let decode = try row("decode") {
      try DecodeCommand(words(DecodeCommand.self, path("voice.opus"), path("decoded.wav"))).convert().seconds
    }
    let levels = try row("levels, 10 bands, 30 a second") {
      try LevelsCommand(words(LevelsCommand.self, path("48k.wav"))).measure { _ = $0.json }
    }
    return [narrow, wide, echo, encode, decode, levels]
  }

  private func words(_ command: any Command.Type, _ words: String...) throws -> Arguments {
    try Arguments(words, syntax: command.syntax)
  }

  private func row(_ name: String, _ work: () throws -> Double) throws -> BenchRow {
    let start = ContinuousClock.now
    let audio = try work()
    let took = (ContinuousClock.now - start) / .seconds(1)
    return BenchRow("command \(name)", sharePercent: 100 * took / max(1e-9, audio))
  }

  private func write(to path: String) throws {
    var writer = try AudioFileWriter(path: path, format: .mono(MadeUpVoice.rate))
    var left = seconds * MadeUpVoice.rate.hertz
    while left > 0 {
      let count = min(left, voice.samples.count)
      try writer.write(Array(voice.samples.prefix(count)))
      left -= count
    }
    try writer.finish()
  }
}
