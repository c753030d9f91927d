public import Foundation

extension CallReport {
  /// Why a page could not be read.
  public enum PageError: Error, Equatable {
    /// The bytes hold no block of report data.
    case noReportData
    /// The audio of a track is missing or damaged.
    case noSound(track: String)
  }

  /// The report as JSON, with sorted keys: equal reports make equal bytes.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  /// One self-contained page in UTF-8: style, script, pictures and audio inside, nothing fetched from anywhere.
  public func html() throws -> Data {
    var withoutSound = self
    for index in tracks.indices { withoutSound.tracks[index].audio?.bytes = Data() }
    return PageTemplate.filled(title: title, json: try withoutSound.json(), clips: tracks.map { $0.audio?.bytes })
  }

  /// Writes the page, replacing what stands at `url`.
  public func writePage(to url: URL) throws {
    try html().write(to: url, options: .atomic)
  }

  /// Reads back the data of a page that ``html()`` made: a page is its own archive.
  public init(page: Data) throws {
    guard let json = PageTemplate.element(PageTemplate.dataStart, of: page) else { throw PageError.noReportData }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(CallReport.self, from: json)
    for index in tracks.indices where tracks[index].audio != nil {
      guard let text = PageTemplate.element(PageTemplate.clipStart(index), of: page),
        let bytes = Data(base64Encoded: text)
      else { throw PageError.noSound(track: tracks[index].name) }
      tracks[index].audio?.bytes = bytes
    }
  }
}
