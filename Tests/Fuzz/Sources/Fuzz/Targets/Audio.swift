import AudioFiles
import RealtimeCore

/// The input is an audio file, read as a file and as a pipe.
///
/// MPEG is left out: its decoder in libsndfile would take nearly all of the time, and print a line for each damaged frame.
func fuzzAudioFile(_ bytes: [UInt8]) {
  if bytes.starts(with: "ID3".utf8) || bytes.count > 1 && bytes[0] == 0xFF && bytes[1] >= 0xE0 { return }
  let file = MemoryFile(bytes)
  read(path: file.path, asMono: bytes.count & 1 == 0)
  if let pipe = MemoryFile(pipe: bytes) { read(path: pipe.path, asMono: bytes.count & 1 == 1) }
}

/// A FLAC frame of a few bytes may stand for 65,535 equal samples: enough is enough.
private let frameLimit = 200_000

private func read(path: String, asMono: Bool) {
  do throws(AudioFileError) {
    var reader = try AudioFileReader(path: path)
    check(reader.frameCount ?? 0 >= 0, "\(reader.frameCount ?? 0) frames")
    var samples = [Float](repeating: 0, count: 8_192)
    var frames = 0
    while frames < frameLimit {
      var span = samples.mutableSpan
      let count = asMono ? try reader.readMono(into: &span) : try reader.read(into: &span)
      if count == 0 { break }
      frames += count
    }
    check(reader.framesRead == frames, "\(reader.framesRead) frames counted, \(frames) read")
    for warning in reader.warnings { _ = warning.description }
    _ = reader.encodingDescription
  } catch {
    _ = error.description
  }
}
