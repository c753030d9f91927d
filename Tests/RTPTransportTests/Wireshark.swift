import Foundation
import TestSupport
import Testing

/// Wireshark's dissection of datagrams. A machine without `tshark` fails (Debian: `apt-get install tshark`).
enum Wireshark {
  /// The values of `fields` in each datagram, taken as `protocolName`; a field that occurs more than once has several.
  static func fields(
    _ fields: [String], of datagrams: [[UInt8]], as protocolName: String
  ) throws -> [[String: [String]]] {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID()).pcap")
    defer { try? FileManager.default.removeItem(at: file) }
    let frames = datagrams.map { CaptureBuilder.frame(linkType: 1, ip: CaptureBuilder.ipv4(CaptureBuilder.udp($0))) }
    try Data(CaptureBuilder.pcap(linkType: 1, frames: frames)).write(to: file)

    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments =
      ["tshark", "-r", file.path, "-d", "udp.port==5000,\(protocolName)", "-T", "fields", "-E", "separator=|"]
      + fields.flatMap { ["-e", $0] }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "tshark does not run: apt-get install tshark")
    return text.split(separator: "\n", omittingEmptySubsequences: false).prefix(datagrams.count).map { line in
      let values = line.split(separator: "|", omittingEmptySubsequences: false)
      var row: [String: [String]] = [:]
      for (name, value) in zip(fields, values) { row[name] = value.split(separator: ",").map(String.init) }
      return row
    }
  }
}
