internal import JitterBuffer

extension JitterBufferStatistics {
  /// The same counters where each sample counts as `factor` samples of another rate; packets and events stay.
  func scaled(by factor: Double) -> JitterBufferStatistics {
    func samples(_ count: Int) -> Int { Int((Double(count) * factor).rounded()) }
    var scaled = self
    // Sums over samples, in seconds.
    scaled.jitterBufferDelay *= factor
    scaled.jitterBufferTargetDelay *= factor
    scaled.jitterBufferMinimumDelay *= factor
    scaled.jitterBufferEmittedCount = samples(jitterBufferEmittedCount)
    scaled.totalSamplesReceived = samples(totalSamplesReceived)
    scaled.concealedSamples = samples(concealedSamples)
    scaled.silentConcealedSamples = samples(silentConcealedSamples)
    scaled.insertedSamplesForDeceleration = samples(insertedSamplesForDeceleration)
    scaled.removedSamplesForAcceleration = samples(removedSamplesForAcceleration)
    scaled.comfortNoiseSamples = samples(comfortNoiseSamples)
    scaled.recoveredSamples = samples(recoveredSamples)
    return scaled
  }
}
