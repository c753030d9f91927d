internal import Foundation
public import RealtimeCore

/// A recording from testdata: mono WAV of 16-bit integers or 32-bit floats, read whole.
///
/// For tests of modules below `AudioFiles`, which cannot use its reader.
public struct Recording {
  /// Floats in -1...1.
  public let samples: [Float]
  /// As the header says.
  public let sampleRate: SampleRate

  /// Reads a file; throws when it is missing or of another kind.
  public init(_ path: String) throws {
    let data = try Data(contentsOf: testdata.appendingPathComponent(path))
    func integer(_ offset: Int, _ byteCount: Int) -> Int {
      (0..<byteCount).reduce(0) { $0 | Int(data[offset + $1]) << (8 * $1) }
    }
    var (rate, isFloat) = (0, false)
    var samples: [Float] = []
    var offset = 12  // after RIFF, size, WAVE
    while offset + 8 <= data.count {
      let name = String(decoding: data[offset..<offset + 4], as: UTF8.self)
      let size = integer(offset + 4, 4)
      offset += 8
      if name == "fmt " {
        guard integer(offset + 2, 2) == 1 else { throw CocoaError(.fileReadCorruptFile) }
        rate = integer(offset + 4, 4)
        isFloat = integer(offset + 14, 2) == 32
      } else if name == "data" {
        let end = min(data.count, offset + size)
        samples = stride(from: offset, to: end - (isFloat ? 3 : 1), by: isFloat ? 4 : 2).map {
          isFloat
            ? Float(bitPattern: UInt32(integer($0, 4)))
            : Float(Int16(truncatingIfNeeded: integer($0, 2))) / 32_768
        }
      }
      offset += size + size % 2
    }
    guard rate > 0, !samples.isEmpty else { throw CocoaError(.fileReadCorruptFile) }
    self.samples = samples
    sampleRate = try SampleRate(hertz: rate)
  }
}
