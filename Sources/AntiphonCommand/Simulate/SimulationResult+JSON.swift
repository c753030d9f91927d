import Antiphon

extension JitterBufferStatistics {
  /// Every counter by its name; those of webrtc-stats by theirs, in seconds and samples.
  var namedCounters: [(name: String, value: Double)] {
    let counts: [(String, Int)] = [
      ("jitterBufferEmittedCount", jitterBufferEmittedCount), ("totalSamplesReceived", totalSamplesReceived),
      ("concealedSamples", concealedSamples), ("silentConcealedSamples", silentConcealedSamples),
      ("concealmentEvents", concealmentEvents), ("insertedSamplesForDeceleration", insertedSamplesForDeceleration),
      ("removedSamplesForAcceleration", removedSamplesForAcceleration), ("packetsReceived", packetsReceived),
      ("packetsDiscarded", packetsDiscarded), ("fecPacketsReceived", fecPacketsReceived),
      ("fecPacketsDiscarded", fecPacketsDiscarded), ("comfortNoiseSamples", comfortNoiseSamples),
      ("recoveredSamples", recoveredSamples), ("latePackets", latePackets), ("missingPackets", missingPackets),
      ("duplicatePackets", duplicatePackets), ("malformedPackets", malformedPackets),
      ("implausiblePackets", implausiblePackets), ("restarts", restarts),
    ]
    let seconds = [
      ("jitterBufferDelay", jitterBufferDelay), ("jitterBufferTargetDelay", jitterBufferTargetDelay),
      ("jitterBufferMinimumDelay", jitterBufferMinimumDelay),
    ]
    return seconds.map { (name: $0.0, value: $0.1) } + counts.map { (name: $0.0, value: Double($0.1)) }
  }
}

extension SimulationResult: Outcome {
  /// A name of our choosing at run time.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// One flat object: this run, the counters of webrtc-stats, and those that jitter-buffer simulators commonly report.
  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    func put(_ name: String, _ value: some Encodable) throws {
      try object.encode(value, forKey: Key(stringValue: name))
    }
    for (name, value) in namedCounterValues { try put(name, value) }
    for counter in statistics.namedCounters {
      // Counts stay whole numbers; delays are seconds.
      if let whole = Int(exactly: counter.value) {
        try put(counter.name, whole)
      } else {
        try put(counter.name, counter.value)
      }
    }
    for (name, value) in delays { try put(name, value) }
    for (name, value) in ["trace": trace, "packets": packets, "output": output] { try put(name, value) }
    try put("packetFileFault", packetFileFault)
    try put("warnings", warnings)
  }

  private var namedCounterValues: [(String, Int)] {
    [
      ("total_samples", totalSamples), ("concealed_samples", statistics.concealedSamples),
      ("concealment_events", statistics.concealmentEvents),
      ("inserted_samples", statistics.insertedSamplesForDeceleration),
      ("removed_samples", statistics.removedSamplesForAcceleration),
      ("discarded_packets", statistics.packetsDiscarded),
      ("fec_packets", statistics.fecPacketsReceived - statistics.fecPacketsDiscarded),
      ("rowsInTrace", rowsInTrace), ("rowsLost", rowsLost), ("rowsWithoutPacket", rowsWithoutPacket),
    ]
  }

  private var delays: [(String, Double?)] {
    [
      ("seconds", seconds), ("timesRealTime", timesRealTime),
      ("playoutDelayMedianMilliseconds", playoutDelayMedianMilliseconds),
      ("playoutDelayP95Milliseconds", playoutDelayP95Milliseconds),
      ("jitterBufferDelayMeanMilliseconds", jitterBufferDelayMeanMilliseconds),
    ]
  }
}
