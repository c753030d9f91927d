internal import Foundation
internal import RealtimeCore

/// How much of each bin of a power spectrum belongs to each of some bands that lie side by side, equally wide on a
/// logarithmic frequency axis.
///
/// The power between bins is interpolated linearly, and a band is the integral from its lower to its upper edge. So each
/// band has a value however narrow it is, and bands that meet at an edge share the bins around it without gap or
/// overlap. Each band is scaled so that a sine at its centre reads the sine's power: in a wide band that is the plain sum
/// of its bins; in one narrower than the window's main lobe it makes up for what falls beside it.
struct BandLayout: ~Copyable, Sendable {
  /// bandCount + 1 frequencies in hertz, rising.
  let edges: SampleBuffer
  /// For each band: its first bin, and where its weights start; one entry more marks the end.
  private let firstBins: FixedBuffer<Int32>
  private let firstWeights: FixedBuffer<Int32>
  private let weights: SampleBuffer

  /// - Parameter binWidth: hertz from bin to bin of a spectrum that was taken with a Hann window whose coefficients
  ///   add up to `windowSum`.
  init(bandCount: Int, lowest: Float, highest: Float, binWidth: Double, binCount: Int, windowSum: Float) {
    let ratio = Double(highest) / Double(lowest)
    let frequencies = (0...bandCount).map { Double(lowest) * pow(ratio, Double($0) / Double(bandCount)) }
    var starts: [Int] = []
    var bins: [Int] = []
    var values: [Double] = []
    for band in 0..<bandCount {
      let (lower, upper) = (frequencies[band] / binWidth, frequencies[band + 1] / binWidth)
      let range = Int(lower.rounded(.down))...min(binCount - 1, Int(upper.rounded(.up)))
      let shares = range.map { Self.hatArea(upTo: upper - Double($0)) - Self.hatArea(upTo: lower - Double($0)) }
      let centre = (lower * upper).squareRoot()
      let response = zip(range, shares).reduce(0) { $0 + $1.1 * Self.hannPower(Double($1.0) - centre) }
      // A sine of power 1 has amplitude √2 and reads √2 · windowSum / 2 on its bin.
      let scale = 2 / (Double(windowSum) * Double(windowSum) * response)
      bins.append(range.lowerBound)
      starts.append(values.count)
      values += shares.map { $0 * scale }
    }
    starts.append(values.count)
    edges = Self.buffer(frequencies.map { Float($0) }, otherwise: 0)
    firstBins = Self.buffer(bins.map { Int32($0) }, otherwise: 0)
    firstWeights = Self.buffer(starts.map { Int32($0) }, otherwise: 0)
    weights = Self.buffer(values.map { Float($0) }, otherwise: 0)
  }

  /// The power of one band: that of a sine at its centre which would read the same.
  @_noLocks
  func power(of band: Int, in spectrum: borrowing SampleBuffer) -> Float {
    let start = Int(firstWeights[band])
    let count = Int(firstWeights[band &+ 1]) &- start
    let bin = Int(firstBins[band])
    return Kernel.dot(weights.view(start..<(start &+ count)), spectrum.view(bin..<(bin &+ count)))
  }

  /// The area under the triangle from (-1, 0) over (0, 1) to (1, 0), left of `x`.
  private static func hatArea(upTo x: Double) -> Double {
    if x <= -1 { return 0 }
    if x >= 1 { return 1 }
    return x < 0 ? (1 + x) * (1 + x) / 2 : 1 - (1 - x) * (1 - x) / 2
  }

  /// What a Hann window lets through `offset` bins beside a sine, as a share of the power on it.
  private static func hannPower(_ offset: Double) -> Double {
    let x = abs(offset)
    if x < 1e-6 { return 1 }
    if abs(x - 1) < 1e-6 { return 0.25 }
    let amplitude = sin(.pi * x) / (.pi * x) / (1 - x * x)
    return amplitude * amplitude
  }

  private static func buffer<Element>(_ elements: [Element], otherwise: Element) -> FixedBuffer<Element> {
    var buffer = FixedBuffer(repeating: otherwise, count: elements.count)
    for (index, element) in elements.enumerated() { buffer[index] = element }
    return buffer
  }
}
