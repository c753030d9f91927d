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
  init?(of source: String) throws {
    guard source == "-" || FileIdentity.isPipe(source) else { return nil }
    let name = source == "-" ? "standard input" : source
    let copy = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    path = copy.path
    guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw CommandFailure("no temporary file for \(name) at \(path); set TMPDIR or give a file")
    }
    do {
      let input =
        source == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: source))
      let output = try FileHandle(forWritingTo: copy)
      while let block = try input.read(upToCount: 1 << 16), !block.isEmpty {
        try output.write(contentsOf: block)
      }
      try output.close()
    } catch {
      try? FileManager.default.removeItem(atPath: path)
      throw CommandFailure("\(name) could not be copied to \(path): \(error.localizedDescription)")
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
