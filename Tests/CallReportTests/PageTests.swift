import CallReport
import Foundation
import Testing

enum HostileText {
  static let words = [
    "</script><script>throw 1</script>", "<img src=x onerror=\"throw 1\">", "<!--<script>", "]]>",
    "{{data}} {{script}}",
    "line\u{2028}and\u{2029}paragraph", "quote\" back\\slash 'single' `tick` ${1}", "\u{0}\u{1B}\u{FFFE}", "a\u{202E}b",
    String(repeating: "unbroken", count: 60), "&lt;b&gt; &amp;", "",
  ]

  /// A report that carries each of the words in each place that takes text.
  static func report() -> CallReport {
    var report = CallReport(title: words.joined(), durationSeconds: 2)
    report.run = .init(
      command: words.joined(separator: " "), codec: words[0], network: words[1],
      settings: words.map { .init($0, $0) })
    report.verdict = .init(.poor, words.joined())
    report.figures = words.map { .init($0, 1, unit: $0, note: $0) }
    report.warnings = words
    report.tracks = words.map { word in
      var track = CallReport.Track(word, detail: word, side: .nearEnd)
      track.waveform = .init([0, 0.5, -0.5], sampleRate: .hz16000)
      track.audio = .init(mimeType: word, bytes: Data([1, 2, 3]))
      return track
    }
    report.strips = words.map { .init($0, kind: .other, track: $0, intervals: [.init(start: 0, end: 1)]) }
    report.plots = words.map { .init($0, unit: $0, series: [.init($0, intervalSeconds: 1, values: [1, 2])]) }
    report.latency = words.map { word in .init(word, stages: [.init(word, milliseconds: 1, note: word)]) }
    report.cost = .init(frameMicroseconds: 10_000, stages: words.map { .init($0, median: 1) })
    report.statistics = words.map { .init($0, [.init($0, 1, unit: $0), .init($0, text: $0)]) }
    return report
  }
}

@Suite
struct PageTests {
  @Test func thePageGivesItsDataBack() throws {
    let report = SampleCall.report
    #expect(try CallReport(page: report.html()) == report)
  }

  @Test func equalReportsMakeEqualPages() throws {
    #expect(try SampleCall.report.html() == SampleCall.report.html())
  }

  @Test func hostileTextComesBackUnchangedAndEndsNoElement() throws {
    let report = HostileText.report()
    let page = try report.html()
    #expect(try CallReport(page: page) == report)
    let text = String(decoding: page, as: UTF8.self)
    // The theme's, the data's, the script's and each clip's own.
    #expect(text.components(separatedBy: "</script>").count == 4 + report.tracks.count)
    #expect(!text.contains("<img"))
    let json = text.components(separatedBy: #"id="data">"#)[1].prefix { $0 != "<" }
    #expect(!json.contains { "\u{2028}\u{2029}<>&".contains($0) })
    #expect(text.contains("<title>&lt;/script&gt;"))
  }

  @Test func nothingIsFetchedFromAnywhere() throws {
    let text = String(decoding: try SampleCall.report.html(), as: UTF8.self)
    #expect(text.contains("default-src 'none'"))
    for word in ["src=\"http", "href=\"http", "url(", "@import", "fetch(", "XMLHttpRequest", "import("] {
      #expect(!text.contains(word), "\(word)")
    }
  }

  @Test func anEmptyReportIsAPage() throws {
    let report = CallReport(title: "", durationSeconds: .nan)
    let page = try report.html()
    #expect(page.count < 100_000)
    #expect(try CallReport(page: page) == report)
  }

  @Test func aPageThatLostItsSoundIsRefused() throws {
    let page = String(decoding: try SampleCall.report.html(), as: UTF8.self)
    let track = try #require(SampleCall.report.tracks.firstIndex { $0.audio != nil })
    let without = page.replacingOccurrences(of: "id=\"audio-\(track)\"", with: "id=\"other\"")
    #expect(throws: CallReport.PageError.noSound(track: SampleCall.report.tracks[track].name)) {
      try CallReport(page: Data(without.utf8))
    }
  }

  @Test func whatIsNoPageIsRefused() {
    #expect(throws: CallReport.PageError.noReportData) { try CallReport(page: Data("<html>".utf8)) }
    #expect(throws: DecodingError.self) {
      try CallReport(page: Data(#"<script type="application/json" id="data">{}</script>"#.utf8))
    }
  }

  @Test func whatIsNoNumberBecomesNull() throws {
    var report = CallReport(title: "No numbers")
    report.figures = [.init("a", .nan), .init("b", -.infinity), .init("c", nil)]
    report.plots = [
      .init(
        "p", unit: "dB", minimum: .nan, series: [.init("s", times: [0, 1, .nan, 3], values: [.nan, 1, 2, .infinity])])
    ]
    report.strips = [.init("e", kind: .loss, intervals: [.init(start: .nan, end: 1), .init(start: 1, end: .nan)])]
    report.cost = .init(frameMicroseconds: 10_000, stages: [.init("x", median: .nan)])
    report.latency = [.init("l", stages: [.init("y", milliseconds: .infinity)])]
    report.statistics = [.init("g", [.init("z", .nan)])]
    let json = String(decoding: try report.json(), as: UTF8.self)
    #expect(json.contains(#""times":[0,1,3],"values":[null,1,null]"#))
    #expect(report.figures.allSatisfy { $0.value == nil })
    #expect(report.strips[0].intervals == [.init(start: 1, end: 1)])
    #expect(try CallReport(page: report.html()) == report)
  }

  @Test func aFileCanBeWrittenAndReadAgain() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString).html")
    defer { try? FileManager.default.removeItem(at: url) }
    let report = CallReport(title: "On disk", durationSeconds: 3)
    try report.writePage(to: url)
    #expect(try CallReport(page: Data(contentsOf: url)) == report)
  }
}
