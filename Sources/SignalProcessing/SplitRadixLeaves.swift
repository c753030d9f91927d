internal import RealtimeCore

/// Where the recursion of a split-radix transform ends: which input each leaf of 16 or 8 points takes, and where its
/// result belongs. Leaves of a size are grouped by eight, the lanes of one vector loop; lanes left over read input 0 and
/// write behind the result.
struct SplitRadixLeaves: ~Copyable, Sendable {
  /// Floats behind each result that idle lanes write to.
  static let idleCount = 16

  let batches16: Int32
  let batches8: Int32
  /// [batch][point][lane], leaves of 16 first.
  let sources: FixedBuffer<Int32>
  /// [batch][lane].
  let targets: FixedBuffer<Int32>

  /// For a complex transform of `points`, a power of two from 16.
  init(points: Int) {
    var leaves: [Leaf] = []
    Self.divide(size: points, first: 0, stride: 1, target: 0, points: points, into: &leaves)
    let large = leaves.filter { $0.size == 16 }
    let small = leaves.filter { $0.size == 8 }
    batches16 = Int32((large.count + 7) / 8)
    batches8 = Int32((small.count + 7) / 8)
    let idle = Leaf(size: 0, first: 0, stride: 0, target: points)
    let batches = Self.batches(of: large, idle: idle) + Self.batches(of: small, idle: idle)
    var sourceList: [Int32] = []
    for batch in batches {
      for point in 0..<batch[0].size {
        for leaf in batch { sourceList.append(Int32((leaf.first + point * leaf.stride) & (points - 1))) }
      }
    }
    let targetList = batches.flatMap { $0.map { Int32($0.target) } }
    var sources = FixedBuffer<Int32>(repeating: 0, count: sourceList.count)
    for (index, source) in sourceList.enumerated() { sources[index] = source }
    var targets = FixedBuffer<Int32>(repeating: 0, count: targetList.count)
    for (index, target) in targetList.enumerated() { targets[index] = target }
    self.sources = sources
    self.targets = targets
  }

  private struct Leaf {
    let size: Int
    let first: Int
    let stride: Int
    let target: Int
  }

  /// Even points, then points 4j + 1, then points 4j - 1; the last may wrap round the start.
  private static func divide(size: Int, first: Int, stride: Int, target: Int, points: Int, into leaves: inout [Leaf]) {
    if size <= 16 {
      leaves.append(Leaf(size: size, first: first, stride: stride, target: target))
      return
    }
    divide(size: size / 2, first: first, stride: 2 * stride, target: target, points: points, into: &leaves)
    divide(
      size: size / 4, first: first + stride, stride: 4 * stride, target: target + size / 2, points: points,
      into: &leaves)
    divide(
      size: size / 4, first: first - stride, stride: 4 * stride, target: target + size / 4 * 3, points: points,
      into: &leaves)
  }

  private static func batches(of leaves: [Leaf], idle: Leaf) -> [[Leaf]] {
    stride(from: 0, to: leaves.count, by: 8).map { start in
      let batch = Array(leaves[start..<min(start + 8, leaves.count)])
      return batch + Array(repeating: idle, count: 8 - batch.count)
    }
  }
}
