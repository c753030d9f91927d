extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Copies `count` elements from `source`; the areas may overlap.
  ///
  /// `update(from:count:)` would read better, but the audio-path checker counts its generic assignment as a possible
  /// deallocation of the old values.
  @unsafe
  @inlinable
  func copyElements(from source: UnsafePointer<Pointee>, count: Int) {
    unsafe UnsafeMutableRawPointer(self).copyMemory(
      from: UnsafeRawPointer(source), byteCount: count &* MemoryLayout<Pointee>.stride)
  }
}
