import CallReport
import Foundation
import ReportProbe
import TestSupport
import Testing

/// What the page draws, asked of a real browser.
@Suite(.serialized)
struct BrowserTests {
  static let full = SampleCall.report

  @Test(arguments: [390, 1_440], [false, true])
  func everyPlotDrawsAllItsDataWithoutErrorOrOverflow(width: Int, isDark: Bool) throws {
    let check = try Browser.open(Self.full.html(), width: width, isDark: isDark)
    #expect(check.errors == [])
    #expect(check.plots == Self.full.expectedPlots)
    #expect(check.innerWidth == width)
    #expect(check.scrollWidth <= width)
    #expect(check.theme == (isDark ? "dark" : "light"))
  }

  @Test func anEmptyReportOpensWithoutError() throws {
    let check = try Browser.open(CallReport(title: "Nothing").html(), width: 1_440, isDark: false)
    #expect(check.errors == [])
    #expect(check.plots.isEmpty)
  }

  @Test func hostileTextStaysText() throws {
    let report = HostileText.report()
    let check = try Browser.open(report.html(), width: 390, isDark: false)
    #expect(check.errors == [])
    #expect(check.plots == report.expectedPlots)
    #expect(check.scrollWidth <= 390)
  }

  @Test func gapsAreDrawnAsGaps() throws {
    var report = CallReport(title: "Gaps")
    report.plots = [
      .init("All gap", unit: "dB", series: [.init("none", intervalSeconds: 1, values: [.nan, .infinity])]),
      .init(
        "Some", unit: "dB",
        series: [.init("some", style: .step, intervalSeconds: 1, values: [1, .nan, 2, -.infinity, 3])]),
      .init("None at all", unit: "dB", series: [.init("empty", times: [], values: [])]),
    ]
    report.tracks = [.init("Bare", side: .farEnd)]
    report.tracks[0].spectrogram = .init(
      decibels: [-20, .nan, -.infinity, 0], binCount: 2, axis: .init(.linear, lowestHertz: 0, highestHertz: 8_000),
      durationSeconds: 5)
    let check = try Browser.open(report.html(), width: 1_440, isDark: true)
    #expect(check.errors == [])
    #expect(check.plots == report.expectedPlots)
    #expect(check.plots["plot 0"] == .init(points: 0, gaps: 2))
    #expect(check.plots["plot 1"] == .init(points: 3, gaps: 2))
  }

  @Test func pointerAndKeysMoveZoomAndPlayOneTrackAtATime() throws {
    let drive = """
      <script>
      addEventListener("load", async () => {
        const told = (ok, what) => { if (!ok) antiphonReport.errors.push(what); };
        const now = () => Number(document.getElementById("ruler").getAttribute("aria-valuenow"));
        const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        const playing = () => [...document.querySelectorAll(".play")].map((button) => button.getAttribute("aria-label"))
          .filter((label) => label.startsWith("Pause"));
        const canvas = document.querySelector("#lanes canvas");
        const box = canvas.getBoundingClientRect();
        canvas.setPointerCapture = () => {};
        canvas.dispatchEvent(new PointerEvent("pointerdown", { clientX: box.left + 46 + (box.width - 56) / 2, button: 0 }));
        told(Math.abs(now() - 15) < 0.2, "a press in the middle seeks there: " + now());
        canvas.dispatchEvent(new PointerEvent("pointerup"));
        press("ArrowLeft");
        told(Math.abs(now() - 14) < 0.2, "an arrow moves by a second: " + now());
        const before = canvas.toDataURL();
        press("+");
        told(canvas.toDataURL() !== before, "zooming in changes the picture");
        press("0");
        told(canvas.toDataURL() === before, "the whole call looks as before");
        document.querySelectorAll(".play")[0].click();
        told(playing().join() === "Pause Microphone", "the first plays: " + playing());
        document.querySelectorAll(".play")[2].click();
        told(playing().join() === "Pause Agent sent", "only the third plays: " + playing());
        press(" ");
        told(playing().length === 0, "space pauses: " + playing());
        const clip = JSON.parse(document.getElementById("data").textContent).tracks[0].audio;
        const bytes = Uint8Array.from(atob(document.getElementById("audio-0").textContent), (c) => c.charCodeAt(0));
        const audio = new Audio(URL.createObjectURL(new Blob([bytes], { type: clip.mimeType })));
        await new Promise((resolve) => { audio.onloadedmetadata = audio.onerror = resolve; });
        told(Math.abs(audio.duration - 30) < 0.01, "the clip lasts 30 s: " + audio.duration);
        document.documentElement.dataset.selfCheck = JSON.stringify({ ...antiphonReport, innerWidth, scrollWidth: 0, theme: "driven" });
      });
      </script>
      """
    let html = String(decoding: try Self.full.html(), as: UTF8.self)
      .replacingOccurrences(of: "openPage();", with: "openPage(); tellSelfCheck = () => {};")
      .replacingOccurrences(of: "</body>", with: drive + "</body>")
    let check = try Browser.open(Data(html.utf8), width: 1_440, isDark: false)
    #expect(check.theme == "driven")
    #expect(check.errors == [])
  }

  /// The negative control: the self-check does tell what goes wrong.
  @Test func aBrokenPageIsNoticed() throws {
    let html = String(decoding: try CallReport(title: "Broken").html(), as: UTF8.self)
      .replacingOccurrences(of: "<main>", with: "<main><div style=\"width: 2000px\">wide</div>")
      .replacingOccurrences(of: "openPage();", with: "openPage(); console.error('told'); missing();")
    let check = try Browser.open(Data(html.utf8), width: 390, isDark: false)
    #expect(check.errors.count == 2 && check.errors.first == "told")
    #expect(check.scrollWidth > 390)
  }
}
