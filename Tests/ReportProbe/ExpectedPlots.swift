public import CallReport
public import TestSupport

extension CallReport {
  /// Points and gaps that each plot of the page has to report, from the model.
  public var expectedPlots: [String: Browser.SelfCheck.Plot] {
    var expected: [String: Browser.SelfCheck.Plot] = [:]
    for (index, track) in tracks.enumerated() {
      if let wave = track.waveform { expected["waveform \(index)"] = .init(points: wave.peaks.count / 6) }
      if let grid = track.spectrogram { expected["spectrogram \(index)"] = .init(points: grid.levels.count) }
      if let bands = track.bands { expected["bands \(index)"] = .init(points: bands.levels.count) }
    }
    for (index, strip) in strips.enumerated() { expected["strip \(index)"] = .init(points: strip.intervals.count) }
    for (index, plot) in plots.enumerated() {
      let values = plot.series.flatMap(\.values)
      let points = values.count { $0 != nil }
      expected["plot \(index)"] = .init(points: points, gaps: values.count - points)
    }
    for (index, path) in latency.enumerated() where !path.stages.isEmpty {
      expected["latency \(index)"] = .init(points: path.stages.count)
    }
    if let cost = cost, !cost.stages.isEmpty {
      expected["cost"] = .init(points: cost.stages.flatMap { [$0.median, $0.p99, $0.worst] }.count { ($0 ?? 0) > 0 })
    }
    return expected
  }
}
