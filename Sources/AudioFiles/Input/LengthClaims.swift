/// What a file's header says of its length, set against what is there.
struct LengthClaims {
  /// The "fmt " of a WAV file.
  var wavFormat: RIFFLayout.Format? { riff?.format }

  private let riff: RIFFLayout?
  private let flac: FLACLayout?
  private let fileLength: Int64?
  private let lengthIsUnknown: Bool
  private let ogg: [AudioFileWarning]

  /// Looks at the header of `file` and lays corrections over fields that would stop the decoder too early.
  init(of file: FileBytes) throws(AudioFileError) {
    let start = file.bytes(at: 0, count: 16)
    if start.isEmpty {
      if let failure = file.failure {
        throw .readFailed(path: file.path, byte: failure.byte, reason: systemMessage(failure.code))
      }
      throw .empty(path: file.path)
    }
    if file.length == nil, !Self.streams(start) {
      guard Self.isAudio(start) else {
        throw .unrecognized(path: file.path, wanted: "an audio stream that can be read (WAV, FLAC, AIFF, AU, Ogg, …)")
      }
      try file.spool()
    }
    riff = RIFFLayout(of: file)
    flac = FLACLayout(of: file)
    ogg = start.starts(with: "OggS".utf8) ? OggStreamEnd.warnings(of: file) : []
    fileLength = file.length
    lengthIsUnknown = riff?.dataSizeIsUnknown(fileLength: file.length) ?? false
    if let riff { try Self.check(riff, path: file.path, length: file.length) }
    if let flac { file.patch(at: flac.totalField.offset, with: flac.totalField.unknown) }
    guard let riff, let data = riff.data else { return }
    if lengthIsUnknown {
      let size = UInt32(clamping: min(file.length.map { $0 - data.offset } ?? .max, 0xFFFF_FFFE))
      file.patch(
        at: riff.dataSizeField.offset,
        with: riff.dataSizeField.isBigEndian ? size.bigEndianBytes : size.littleEndianBytes)
      file.apparentLength = data.offset + Int64(size)
    } else {
      file.apparentLength = data.offset + data.claimed + data.claimed % 2
    }
  }

  /// The number of frames that can be told before they are read.
  func frameCount(decoded: Int64?) -> Int64? {
    if let flac { return flac.claimedFrames }
    return fileLength == nil && lengthIsUnknown ? nil : decoded
  }

  func warningsAtOpening(decodedFrames: Int64?) -> [AudioFileWarning] {
    guard let riff, let data = riff.data else { return ogg }
    if lengthIsUnknown { return [.neverClosed] }
    guard let fileLength else { return [] }
    let present = fileLength - data.offset
    if data.claimed > present { return [.cutShort(claimedBytes: data.claimed, presentBytes: present)] }
    var warnings: [AudioFileWarning] = []
    if let claimed = riff.claimedFrames, let decodedFrames, claimed != 0, claimed != decodedFrames {
      warnings.append(.frameCountDisagrees(claimed: claimed, found: decodedFrames))
    }
    // The last pad byte is counted by some writers and not by others.
    if abs(riff.claimedLength - riff.chunksEnd) > 1, riff.claimedLength != fileLength {
      warnings.append(.formSizeDisagrees(claimedBytes: riff.claimedLength, presentBytes: riff.chunksEnd))
    }
    if fileLength - riff.chunksEnd > 1 { warnings.append(.trailingBytes(fileLength - riff.chunksEnd)) }
    return warnings
  }

  func warningsAtEnd(framesRead: Int64, decoderFailure: String?) -> [AudioFileWarning] {
    var warnings: [AudioFileWarning] = []
    if let decoderFailure { warnings.append(.decodingStopped(atFrame: framesRead, reason: decoderFailure)) }
    if let claimed = flac?.claimedFrames, claimed != framesRead {
      warnings.append(.frameCountDisagrees(claimed: claimed, found: framesRead))
    }
    if fileLength == nil, !lengthIsUnknown, let data = riff?.data, let format = wavFormat,
      SoundEncoding.isLinear(tag: format.tag), format.bytesPerFrame > 0
    {
      let present = framesRead * Int64(format.bytesPerFrame)
      if data.claimed - present >= Int64(format.bytesPerFrame) {
        warnings.append(.cutShort(claimedBytes: data.claimed, presentBytes: present))
      }
    }
    return warnings
  }

  private static func check(_ riff: RIFFLayout, path: String, length: Int64?) throws(AudioFileError) {
    guard riff.data != nil else {
      throw .damaged(path: path, reason: "it ends inside its WAV header, before any audio; make or copy the file again")
    }
    if riff.format == nil, length == nil || !riff.formatFollowsData {
      throw .damaged(
        path: path, reason: "its WAV header has no format (\"fmt \") before the audio; make the file again")
    }
    if riff.formatFollowsData {
      throw .damaged(
        path: path,
        reason: "its format (\"fmt \") stands behind the audio, against the WAV standard; rewrite it, "
          + "for example with: ffmpeg -i in.wav out.wav")
    }
  }

  /// Formats that the decoder reads strictly forwards.
  private static func streams(_ start: [UInt8]) -> Bool {
    guard start.count >= 12 else { return false }
    return ["RIFF", "RIFX", "RF64", "BW64"].contains(start.text(0)) && start.text(8) == "WAVE"
      || start.text(0) == "fLaC" || start.text(0) == ".snd"
  }

  /// Beginnings of the other formats that are worth a temporary copy; anything else on a pipe is refused at once.
  private static func isAudio(_ start: [UInt8]) -> Bool {
    guard start.count >= 4 else { return false }
    return ["FORM", "OggS", "caff", "riff", "NIST", "dns."].contains(start.text(0)) || start.text(0).hasPrefix("ID3")
      || start[0] == 0xFF && start[1] & 0xE0 == 0xE0
  }
}
