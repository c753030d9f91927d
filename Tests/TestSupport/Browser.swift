public import Foundation

/// A real browser that opens a page and tells what the page's script found out about itself.
public enum Browser {
  /// What the page's script says about itself when it has drawn everything.
  public struct SelfCheck: Decodable {
    /// How much of its data one plot drew.
    public struct Plot: Decodable, Equatable {
      /// Values or cells on the canvas.
      public let points: Int
      /// Values that are no numbers, shown as gaps; `nil` where a plot has none.
      public var gaps: Int?

      /// An expectation.
      public init(points: Int, gaps: Int? = nil) {
        self.points = points
        self.gaps = gaps
      }
    }
    /// Every plot by its name.
    public let plots: [String: Plot]
    /// What the console or an uncaught fault said.
    public let errors: [String]
    /// The window's width, in CSS pixels.
    public let innerWidth: Int
    /// The content's width, in CSS pixels; more than the window's when something overflows.
    public let scrollWidth: Int
    /// `dark` or `light`.
    public let theme: String
  }

  struct Missing: Error, CustomStringConvertible {
    let description = "chromium is not installed, so no page was opened: apt-get install chromium"
  }

  struct Failed: Error, CustomStringConvertible {
    let description: String
  }

  /// Opens `page` in a frame of `width` × 900 CSS pixels; headless windows themselves cannot be narrower than 500.
  public static func open(_ page: Data, width: Int, isDark: Bool) throws -> SelfCheck {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try page.write(to: folder.appendingPathComponent("page.html"))
    try Data(frame(width: width).utf8).write(to: folder.appendingPathComponent("frame.html"))
    // Virtual time outruns the decoding of audio on a busy machine; a page that has not told yet gets more of it.
    var document = ""
    for budget in [4_000, 60_000, 600_000] {
      document = try run([
        "--headless=new", "--autoplay-policy=no-user-gesture-required", "--no-sandbox", "--disable-gpu",
        "--allow-file-access-from-files", "--user-data-dir=\(folder.path)/profile", "--window-size=1600,1000",
        "--virtual-time-budget=\(budget)", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--dump-dom",
        "file://\(folder.path)/frame.html",
      ])
      guard let start = document.range(of: "<output>"), let end = document.range(of: "</output>"),
        let json = Data(base64Encoded: String(document[start.upperBound..<end.lowerBound])), !json.isEmpty
      else { continue }
      return try JSONDecoder().decode(SelfCheck.self, from: json)
    }
    throw Failed(description: "the page told nothing about itself: \(document.prefix(500))")
  }

  private static func frame(width: Int) -> String {
    """
    <!doctype html><body style="margin:0"><iframe src="page.html" width="\(width)" height="900" style="border:0"></iframe>
    <output></output><script>
    const wait = () => {
      const told = document.querySelector("iframe").contentDocument?.documentElement?.dataset.selfCheck;
      if (!told) return setTimeout(wait, 20);
      const bytes = new TextEncoder().encode(told);
      document.querySelector("output").textContent = btoa(String.fromCharCode(...bytes));
    };
    wait();
    </script></body>
    """
  }

  private static func run(_ arguments: [String]) throws -> String {
    let names = ["chromium", "chromium-browser", "google-chrome"]
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    guard
      let path = folders.lazy.flatMap({ folder in names.map { "\(folder)/\($0)" } })
        .first(where: FileManager.default.isExecutableFile(atPath:))
    else { throw Missing() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failed(description: "\(path) ended with \(process.terminationStatus)")
    }
    return text
  }
}
