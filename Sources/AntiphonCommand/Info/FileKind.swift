import Foundation

/// What a file is, by its first bytes.
enum FileKind {
  case capture, oggOpus, other

  init(path: String) throws {
    // A file that cannot be opened is left to its reader, which tells why.
    guard let handle = FileHandle(forReadingAtPath: path), let head = try? handle.read(upToCount: 64), head.count >= 4
    else {
      self = .other
      return
    }
    let magic = head.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    // pcap with micro- and nanoseconds, in both byte orders, and pcapng's section header.
    let captures: [UInt32] = [0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1, 0x0A0D_0D0A]
    if captures.contains(magic) || head.starts(with: "#!rtpplay".utf8) {
      self = .capture
    } else {
      self = head.starts(with: "OggS".utf8) && head.range(of: Data("OpusHead".utf8)) != nil ? .oggOpus : .other
    }
  }
}

/// What a pipe gives only once, as a file that can be read twice; gone at the end of its life.
final class PipeCopy {
  let path: String

  /// - Parameter source: "-" is standard input. `nil` for what can be read twice as it is, and for what is not there.
  /// - Parameter check: looks at the first MiB of the copy and throws where the rest is of no use: it may never end.
  init?(of source: String, check: (String) throws -> Void) throws {
    guard source == "-" || FileIdentity.isPipe(source) else { return nil }
    let name = source == "-" ? "standard input" : source
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    path = copy.path
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw CommandFailure("no temporary file for \(name) at \(path); set TMPDIR or give a file")
    }
    Interruption.remove(path)
    do {
      let code = try Self.copy(source == "-" ? nil : source, to: path, check)
      if code != 0 { throw CommandFailure("\(name) could not be copied to \(path): \(systemMessage(code))") }
    } catch {
      unsafe unlink(path)
      throw error
    }
  }

  deinit { unsafe unlink(path) }

  /// - Returns: 0, or the number of what prevented it.
  private static func copy(_ source: String?, to path: String, _ check: (String) throws -> Void) rethrows -> Int32 {
    let input = source.map { unsafe open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
    guard input >= 0 else { return errno }
    defer { if source != nil { close(input) } }
    let output = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard output >= 0 else { return errno }
    defer { close(output) }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var (copied, isChecked) = (0, false)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe read(input, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      if count == 0 { return 0 }
      let code = unsafe block.withUnsafeBytes {
        unsafe Terminal.put(UnsafeRawBufferPointer(rebasing: $0[..<count]), to: output)
      }
      if code != 0 { return code }
      copied += count
      if copied >= 1 << 20, !isChecked {
        isChecked = true
        try check(path)
      }
    }
  }
}
