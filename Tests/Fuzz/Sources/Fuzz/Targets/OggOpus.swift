import AudioFiles
import RealtimeCore

/// The input is an Ogg Opus file; the checksums of its pages are made right first, or hardly any would be looked at.
func fuzzOggOpus(_ bytes: [UInt8]) {
  let file = MemoryFile(repaired(bytes))
  do throws(AudioFileError) {
    var packets = try OggOpusPackets(path: file.path)
    while let packet = try packets.next() {
      check(!packet.bytes.isEmpty && (0...5_760).contains(packet.sampleCount), "a packet of \(packet.sampleCount)")
    }
  } catch {
    _ = error.description
  }
  decode(file)
  if let pipe = MemoryFile(pipe: file.contents) { decode(pipe) }
}

private func decode(_ file: MemoryFile) {
  do throws(AudioFileError) {
    var reader = try OggOpusReader(path: file.path)
    var samples = [Float](repeating: 0, count: 4_096)
    while reader.framesRead < 200_000 {
      var span = samples.mutableSpan
      if try reader.read(into: &span) == 0 { break }
    }
    for warning in reader.warnings { _ = warning.description }
    _ = reader.comments
  } catch {
    _ = error.description
  }
}

private func repaired(_ bytes: [UInt8]) -> [UInt8] {
  var bytes = bytes
  var start = 0
  while start + 27 <= bytes.count {
    guard bytes[start..<start + 4].elementsEqual("OggS".utf8) else {
      start += 1
      continue
    }
    let table = start + 27
    let segments = bytes[table..<min(bytes.count, table + Int(bytes[start + 26]))]
    let end = segments.endIndex + segments.reduce(0) { $0 + Int($1) }
    guard end <= bytes.count else { break }
    for index in start + 22..<start + 26 { bytes[index] = 0 }
    let sum = checksum(bytes[start..<end])
    for index in 0..<4 { bytes[start + 22 + index] = UInt8(truncatingIfNeeded: sum >> (8 * index)) }
    start = end
  }
  return bytes
}

/// RFC 3533 §6.
private func checksum(_ page: ArraySlice<UInt8>) -> UInt32 {
  page.reduce(0) { register, byte in
    (0..<8).reduce(register ^ UInt32(byte) << 24) { value, _ in
      value << 1 ^ (value >> 31 == 1 ? 0x04C1_1DB7 : 0)
    }
  }
}
