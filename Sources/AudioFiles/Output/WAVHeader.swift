/// The bytes in front of the audio of a WAV file that we write.
///
///     "RIFF" size "WAVE" "JUNK" 28 {28 zeros} "fmt " … ["fact" 4 frames] "data" size
///
/// Beyond 4 GiB "RIFF" becomes "RF64" and the reserved "JUNK" becomes "ds64" with the sizes in 64 bits (EBU Tech 3306).
/// To a pipe the sizes are the greatest value, which readers take as "to the end", and nothing is reserved.
struct WAVHeader {
  let sampleRate: Int
  let channelCount: Int
  let bytesPerSample: Int
  let isFloat: Bool

  /// The header for `dataBytes` of audio; the same length for every `dataBytes`.
  func bytes(dataBytes: Int64, toPipe: Bool) -> [UInt8] {
    let frameBytes = channelCount * bytesPerSample
    var rest: [UInt8] = []
    rest += "fmt ".utf8
    rest += UInt32(isFloat ? 18 : 16).littleEndianBytes
    rest += UInt16(isFloat ? 3 : 1).littleEndianBytes + UInt16(channelCount).littleEndianBytes
    rest += UInt32(sampleRate).littleEndianBytes + UInt32(sampleRate * frameBytes).littleEndianBytes
    rest += UInt16(frameBytes).littleEndianBytes + UInt16(bytesPerSample * 8).littleEndianBytes
    let frames = dataBytes / Int64(frameBytes)
    if isFloat {  // every format but PCM has an extension size and a "fact"
      rest += [0, 0] + "fact".utf8 + UInt32(4).littleEndianBytes
      rest += UInt32(clamping: toPipe ? .max : frames).littleEndianBytes
    }
    rest += "data".utf8
    if toPipe {
      return Array("RIFF".utf8) + UInt32.max.littleEndianBytes + "WAVE".utf8 + rest + UInt32.max.littleEndianBytes
    }
    let formSize = 4 + 36 + Int64(rest.count) + 4 + dataBytes + dataBytes % 2
    if formSize <= 0xFFFF_FFFE {
      return Array("RIFF".utf8) + UInt32(formSize).littleEndianBytes + "WAVE".utf8
        + "JUNK".utf8 + UInt32(28).littleEndianBytes + [UInt8](repeating: 0, count: 28)
        + rest + UInt32(dataBytes).littleEndianBytes
    }
    return Array("RF64".utf8) + UInt32.max.littleEndianBytes + "WAVE".utf8
      + "ds64".utf8 + UInt32(28).littleEndianBytes
      + formSize.littleEndianBytes + dataBytes.littleEndianBytes + frames.littleEndianBytes + [0, 0, 0, 0]
      + rest + UInt32.max.littleEndianBytes
  }
}

extension FixedWidthInteger {
  var littleEndianBytes: [UInt8] {
    (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
  var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }
}
