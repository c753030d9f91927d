internal import JitterBuffer

extension JitterBufferStatistics {
  /// Adds the counters of another buffer of the same stream.
  /// - Parameter factor: samples of this buffer's rate for each of the other's.
  mutating func add(_ other: JitterBufferStatistics, samplesTimes factor: Double) {
    func samples(_ count: Int) -> Int { Int((Double(count) * factor).rounded()) }
    // Sums over samples, in seconds.
    jitterBufferDelay += other.jitterBufferDelay * factor
    jitterBufferTargetDelay += other.jitterBufferTargetDelay * factor
    jitterBufferMinimumDelay += other.jitterBufferMinimumDelay * factor
    jitterBufferEmittedCount += samples(other.jitterBufferEmittedCount)
    totalSamplesReceived += samples(other.totalSamplesReceived)
    concealedSamples += samples(other.concealedSamples)
    silentConcealedSamples += samples(other.silentConcealedSamples)
    concealmentEvents += other.concealmentEvents
    insertedSamplesForDeceleration += samples(other.insertedSamplesForDeceleration)
    removedSamplesForAcceleration += samples(other.removedSamplesForAcceleration)
    packetsReceived += other.packetsReceived
    packetsDiscarded += other.packetsDiscarded
    fecPacketsReceived += other.fecPacketsReceived
    fecPacketsDiscarded += other.fecPacketsDiscarded
    comfortNoiseSamples += samples(other.comfortNoiseSamples)
    recoveredSamples += samples(other.recoveredSamples)
    latePackets += other.latePackets
    missingPackets += other.missingPackets
    duplicatePackets += other.duplicatePackets
    malformedPackets += other.malformedPackets
    implausiblePackets += other.implausiblePackets
    flushedPackets += other.flushedPackets
    retransmittedPacketsReceived += other.retransmittedPacketsReceived
    restarts += other.restarts
  }
}
