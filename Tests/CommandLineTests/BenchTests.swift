import Foundation
import Testing

struct BenchTests {
  @Test func theTableHasCodecsStagesPathAndCommands() throws {
    let result = try Program.run("bench", "--seconds", "1", "--json", in: Folder())
    #expect(result.code == 0)
    let rows = try #require(try result.json()["rows"] as? [[String: Any]])
    let names = rows.compactMap { $0["name"] as? String }
    for part in ["Opus 48 kHz", "G.711", "whole path", "echo cancellation", "command resample", "command levels"] {
      #expect(names.contains { $0.contains(part) }, "\(part)")
    }
    #expect(rows.allSatisfy { ($0["sharePercent"] as? Double ?? 0) > 0 && ($0["timesRealTime"] as? Double ?? 0) > 0 })
  }
}
