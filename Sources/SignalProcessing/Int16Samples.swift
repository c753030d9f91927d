internal import CKernels
package import RealtimeCore

/// Samples as SpeexDSP's voice stages take them: 16-bit integers, full scale at 32,768.
@safe  // pointers into `storage` are handed to the conversion loops with counts that were checked
package struct Int16Samples: ~Copyable {
  package private(set) var storage: FixedBuffer<Int16>

  package init(count: Int) { storage = FixedBuffer(repeating: 0, count: count) }

  package var count: Int {
    @_noLocks get { storage.count }
  }

  /// Stores `samples` from index `start` on, rounded and limited to full scale; what is not finite becomes 0.
  /// - Returns: how many were not finite.
  @_noLocks
  package mutating func store(_ samples: borrowing SampleView, at start: Int) -> Int {
    let count = samples.count
    precondition(start >= 0 && count <= storage.count &- start)
    unsafe antiphon_int16_from_float(storage.mutablePointer + start, samples.pointer, count)
    var unusable = 0
    for index in 0..<count where !samples[index].isFinite {  // infinities came out as full scale
      storage[start &+ index] = 0
      unusable &+= 1
    }
    return unusable
  }

  /// Stores all of `samples` from index 0 on, as the other `store` does.
  @_noLocks
  package mutating func store(_ samples: inout MutableSpan<Float>) -> Int {
    let count = samples.count
    precondition(count <= storage.count)
    unsafe antiphon_int16_from_float(storage.mutablePointer, samples.mutablePointer, count)
    var unusable = 0
    for index in 0..<count where !samples[index].isFinite {
      storage[index] = 0
      unusable &+= 1
    }
    return unusable
  }

  /// Writes the first `samples.count` values out as floats.
  @_noLocks
  package func load(into samples: inout MutableSpan<Float>) {
    let count = samples.count
    precondition(count <= storage.count)
    unsafe antiphon_float_from_int16(samples.mutablePointer, storage.mutablePointer, count)
  }

  /// Sets a range to 0.
  @_noLocks
  package mutating func clear(_ range: Range<Int>) { storage.fill(range, with: 0) }

  /// Takes over all values of `other`, which has as many.
  @_noLocks
  package mutating func copy(_ other: borrowing Int16Samples) { storage.copy(other.storage.view, to: 0) }

  /// Mean of the squares, full scale = 1.
  package var meanPower: Float {
    @_noLocks get {
      var sum: Int64 = 0  // exact: a square has 31 bits, and no frame has 2^32 samples
      for index in 0..<storage.count { sum &+= Int64(storage[index]) &* Int64(storage[index]) }
      return Float(sum) / (1_073_741_824 * Float(storage.count))
    }
  }

  /// One value; traps outside the storage.
  package subscript(_ index: Int) -> Int16 {
    @_noLocks get { storage[index] }
    @_noLocks set { storage[index] = newValue }
  }

  /// For a C call in the file of that handle's wrapper.
  @unsafe
  package var pointer: UnsafeMutablePointer<Int16> {
    @_noLocks get { unsafe storage.mutablePointer }
  }
}
