internal import Foundation

/// The page's files, put together.
enum PageTemplate {
  /// What stands before the JSON in a page.
  static let dataStart = #"<script type="application/json" id="data">"#
  /// What stands before a track's audio, which is base64: in the JSON it would be parsed with each opening of the page.
  static func clipStart(_ track: Int) -> String { #"<script type="application/octet-stream" id="audio-\#(track)">"# }
  /// What stands after either.
  private static let elementEnd = "</script>"

  /// What stands in `page` between `start` and the end of that element.
  static func element(_ start: String, of page: Data) -> Data? {
    guard let open = page.range(of: Data(start.utf8)),
      let close = page.range(of: Data(elementEnd.utf8), in: open.upperBound..<page.endIndex)
    else { return nil }
    return page[open.upperBound..<close.lowerBound]
  }

  /// Scripts in the order in which they use each other.
  private static var scripts: [[UInt8]] {
    [
      PackageResources.basics_js, PackageResources.colour_js, PackageResources.timeline_js, PackageResources.plots_js,
      PackageResources.lanes_js, PackageResources.player_js, PackageResources.tables_js, PackageResources.report_js,
    ]
  }

  /// The page for one report. `report.html` marks the places as `{{title}}`, `{{style}}`, `{{data}}`, `{{audio}}`, `{{script}}`.
  /// - Parameter clips: the audio of each track.
  static func filled(title: String, json: Data, clips: [Data?]) -> Data {
    var rest = PackageResources.report_html[...]
    let soundByteCount = clips.reduce(0) { $0 + ($1?.count ?? 0) }
    var page = Data(capacity: json.count + soundByteCount * 4 / 3 + 200_000)
    while let open = rest.firstRange(of: Array("{{".utf8)),
      let close = rest[open.upperBound...].firstRange(of: Array("}}".utf8))
    {
      page.append(contentsOf: rest[..<open.lowerBound])
      switch String(decoding: rest[open.upperBound..<close.lowerBound], as: UTF8.self) {
      case "title": page.append(contentsOf: escapedText(title).utf8)
      case "style": page.append(contentsOf: PackageResources.report_css)
      case "data": page.append(escapedForScript(json))
      case "audio":
        for (index, clip) in clips.enumerated() {
          guard let clip else { continue }
          page.append(contentsOf: clipStart(index).utf8)
          page.append(clip.base64EncodedData())
          page.append(contentsOf: elementEnd.utf8)
        }
      case "script": for script in scripts { page.append(contentsOf: script) }
      case let name: preconditionFailure("report.html names an unknown place: \(name)")
      }
      rest = rest[close.upperBound...]
    }
    page.append(contentsOf: rest)
    return page
  }

  private static func escapedText(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }

  /// JSON that can neither end its script element nor open a comment in it: outside strings JSON has none of these
  /// characters, inside them `\u` means the same. U+2028 and U+2029 were line ends to scripts before ES2019.
  private static func escapedForScript(_ json: Data) -> Data {
    var result: [UInt8] = []  // `Data` takes single bytes a hundred times slower
    result.reserveCapacity(json.count)
    let bytes = [UInt8](json)
    var index = 0
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "<"): result.append(contentsOf: #"\u003c"#.utf8)
      case UInt8(ascii: ">"): result.append(contentsOf: #"\u003e"#.utf8)
      case UInt8(ascii: "&"): result.append(contentsOf: #"\u0026"#.utf8)
      case 0xE2 where index + 2 < bytes.count && bytes[index + 1] == 0x80 && bytes[index + 2] & 0xFE == 0xA8:
        result.append(contentsOf: (bytes[index + 2] == 0xA8 ? #"\u2028"# : #"\u2029"#).utf8)
        index += 2
      case let byte: result.append(byte)
      }
      index += 1
    }
    return Data(result)
  }
}
