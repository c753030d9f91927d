public import Foundation

extension CallReport {
  /// Why a page could not be read.
  public enum PageError: Error, Equatable {
    /// The bytes hold no block of report data.
    case noReportData
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
    PageTemplate.filled(title: title, json: try json())
  }

  /// Writes the page, replacing what stands at `url`.
  public func writePage(to url: URL) throws {
    try html().write(to: url, options: .atomic)
  }

  /// Reads back the data of a page that ``html()`` made: a page is its own archive.
  public init(page: Data) throws {
    guard let start = page.range(of: Data(PageTemplate.dataStart.utf8)),
      let end = page.range(of: Data(PageTemplate.dataEnd.utf8), in: start.upperBound..<page.endIndex)
    else { throw PageError.noReportData }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(CallReport.self, from: page[start.upperBound..<end.lowerBound])
  }
}
