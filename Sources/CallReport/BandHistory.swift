public import Foundation

extension CallReport {
  /// What a level display showed, over time: a few bands between 0 and 1.
  public struct BandHistory: Codable, Equatable, Sendable {
    /// Steps in time, at most ``CallReport/maximumPointCount``.
    public let columnCount: Int
    /// Bands, lowest first.
    public let bandCount: Int
    /// Where the first column begins, in seconds.
    public let startSeconds: Double
    /// What all columns cover, in seconds.
    public let durationSeconds: Double
    /// Column after column, lowest band first; 255 is a level of 1.
    public let levels: Data

    /// Packs band levels.
    /// - Parameters:
    ///   - levels: 0...1, column after column, lowest band first; a multiple of `bandCount`. Clipped; what is no
    ///     number counts as 0. Of columns that share a place the highest level stays.
    public init(levels: [Float], bandCount: Int, startSeconds: Double = 0, durationSeconds: Double) {
      precondition(bandCount > 0 && levels.count % bandCount == 0, "\(levels.count) levels in \(bandCount) bands")
      let given = levels.count / bandCount
      columnCount = min(given, CallReport.maximumPointCount)
      self.bandCount = bandCount
      self.startSeconds = startSeconds.finite ?? 0
      self.durationSeconds = durationSeconds.finite ?? 0
      var packed = Data(capacity: columnCount * bandCount)
      for column in 0..<columnCount {
        for band in 0..<bandCount {
          var highest: Float = 0
          for source in given * column / columnCount..<given * (column + 1) / columnCount {
            let level = levels[source * bandCount + band]
            if level > highest { highest = level }
          }
          packed.append(UInt8((min(highest, 1) * 255).rounded()))
        }
      }
      self.levels = packed
    }
  }
}
