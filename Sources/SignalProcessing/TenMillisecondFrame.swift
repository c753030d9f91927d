package import RealtimeCore

/// The frame of 10 ms that the voice stages take: which rates have one, and how many samples it is.
package enum TenMillisecondFrame {
  /// Samples in 10 ms.
  /// - Throws: `unsupportedSampleRate` outside 8 to 48 kHz; `unsupportedFrameLength` when 10 ms are no whole number of
  ///   samples, as at 11,025 and 22,050 Hz.
  package static func sampleCount(at sampleRate: SampleRate) throws(SignalProcessingError) -> Int {
    guard (SampleRate.hz8000...SampleRate.hz48000).contains(sampleRate) else {
      throw .unsupportedSampleRate(sampleRate, lowest: .hz8000, highest: .hz48000)
    }
    guard sampleRate.hertz % 100 == 0 else { throw .unsupportedFrameLength(sampleRate.hertz / 100) }
    return sampleRate.hertz / 100
  }
}
