internal import CSndfile
internal import Foundation

/// One open handle of libsndfile, which reads its bytes through `FileBytes`.
/// - Threads: one at a time.
@safe  // `handle` is opened in init, used only here, closed once in deinit; `file` outlives it as a stored property
final class SoundDecoder {
  let file: FileBytes
  let channelCount: Int
  let sampleRateHertz: Int
  /// As libsndfile counts them; `nil` when it does not know.
  let frameCount: Int64?
  /// Container and coding, in libsndfile's codes.
  let formatCode: Int32
  private let handle: OpaquePointer

  /// Opens what `file` holds, from its first byte.
  init(_ file: FileBytes) throws(AudioFileError) {
    var info = SF_INFO()
    var calls = unsafe SF_VIRTUAL_IO(
      get_filelen: { unsafe fileBytes($0).length ?? fileBytes($0).apparentLength },
      seek: { offset, origin, user in
        let file = unsafe fileBytes(user)
        let base = origin == SEEK_CUR ? file.position : origin == SEEK_END ? file.length ?? file.apparentLength : 0
        let (target, overflow) = base.addingReportingOverflow(offset)
        if overflow || target < 0 { return -1 }
        file.position = target
        return target
      },
      read: { target, count, user in
        let file = unsafe fileBytes(user)
        guard let target = unsafe target, count > 0 else { return 0 }
        let got = unsafe file.read(
          at: file.position, into: UnsafeMutableRawBufferPointer(start: target, count: Int(count)))
        file.position += Int64(got)
        return Int64(got)
      },
      write: { _, _, _ in 0 },
      tell: { unsafe fileBytes($0).position })
    file.position = 0
    guard
      let handle = unsafe sf_open_virtual(&calls, Int32(SFM_READ), &info, Unmanaged.passUnretained(file).toOpaque())
    else { throw unsafe Self.openError(path: file.path, code: sf_error(nil), text: sf_strerror(nil)) }
    unsafe self.handle = handle
    self.file = file
    channelCount = Int(info.channels)
    sampleRateHertz = Int(info.samplerate)
    formatCode = info.format
    frameCount = info.frames == .max ? nil : Int64(info.frames)
  }

  deinit { unsafe sf_close(handle) }

  /// Reads interleaved floats; returns the number of whole frames, fewer than asked for only at the end.
  func read(into target: inout MutableSpan<Float>) -> Int {
    let (handle, frames) = unsafe (handle, target.count / channelCount)
    return unsafe target.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, frames > 0 else { return 0 }
      return unsafe Int(sf_readf_float(handle, start, Int64(frames)))
    }
  }

  /// What the decoder met when it last stopped; `nil` when all was well.
  var failureText: String? {
    unsafe sf_error(handle) == 0 ? nil : unsafe String(cString: sf_strerror(handle))
  }

  private static func openError(path: String, code: Int32, text: UnsafePointer<CChar>?) -> AudioFileError {
    let words = unsafe text.map { unsafe String(cString: $0) } ?? "no reason given"
    switch code {
    case 1: return .unrecognized(path: path, wanted: "an audio file that can be read (WAV, FLAC, AIFF, AU, Ogg, …)")
    case 4: return .unsupported(path: path, what: "this encoding is not supported; convert it to PCM or FLAC")
    case _ where words.contains("SF_INFO"):
      return .damaged(
        path: path, reason: "its header tells an impossible rate or number of channels (0 Hz, say); make the file again"
      )
    case _ where words.contains("internal error"):
      return .damaged(
        path: path, reason: "its header contradicts itself (0 bits a sample, say); make the file again")
    default: return .damaged(path: path, reason: words)
    }
  }
}

private func fileBytes(_ user: UnsafeMutableRawPointer?) -> FileBytes {
  unsafe Unmanaged<FileBytes>.fromOpaque(user!).takeUnretainedValue()
}
