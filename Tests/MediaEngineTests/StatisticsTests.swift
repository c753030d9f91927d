import AudioCodecs
import CallSimulation
import Foundation
import MediaEngine
import RealtimeCore
import TestSupport
import Testing

/// The counters by their W3C names.
@Suite struct StatisticsTests {
  @Test(arguments: allFormats, [false, true])
  func countersAddUp(_ format: CodecFormat, isSecured: Bool) throws {
    var (near, far) = (MediaEngineSettings.plain(format), MediaEngineSettings.plain(format))
    if isSecured { (near, far) = try MediaEngineSettings.secured(near, far) }
    let clean = try MediaEngine(near).statistics.faults
    var call = try TestCall(near: near, far: far)
    let user = try speech("mic", at: .hz16000)
    call.run(until: 600, user: user, agent: user)
    let sent = call.far.statistics.outboundRTP
    let received = call.near.statistics.inboundRTP
    let trailer = isSecured ? 10 : 0
    #expect(sent.packetsSent == call.downlink.counts.sent)
    #expect(sent.headerBytesSent == sent.packetsSent * (12 + trailer))
    #expect(call.near.statistics.outboundRTP.bytesSent == call.nearSent.map { $0.count - 12 - trailer }.reduce(0, +))
    // What is under way at the end has not been received: 20 ms of network, one packet or two.
    #expect((1...2).contains(sent.packetsSent - received.packetsReceived))
    #expect(received.packetsLost == 0 && received.packetsDiscarded == 0 && received.fecPacketsReceived == 0)
    #expect(received.headerBytesReceived == received.packetsReceived * (12 + trailer))
    #expect(received.bytesReceived > 0 && received.bytesReceived <= sent.bytesSent)
    #expect(received.concealedSamples == 0 && received.concealmentEvents == 0)
    #expect(received.jitter < 0.001)
    #expect(call.near.statistics.faults == clean)

    let meanDelay = received.jitterBufferDelay / Double(received.jitterBufferEmittedCount)
    #expect((0.0...0.06).contains(meanDelay), "\(meanDelay) s")
    #expect(received.jitterBufferMinimumDelay <= received.jitterBufferTargetDelay)
    #expect(received.jitterBufferEmittedCount <= received.totalSamplesReceived)

    let source = call.near.statistics.mediaSource
    #expect(abs(source.totalSamplesDuration - 6) < 0.02)
    // "All samples that have been received (and thus counted by totalSamplesReceived)": from the first packet on.
    #expect(abs(received.totalSamplesDuration - 5.95) < 0.03)
    #expect(source.totalAudioEnergy > 0 && received.totalAudioEnergy > 0)
    let energy = user[..<96_000].reduce(0.0) { $0 + Double($1) * Double($1) } / 16_000
    #expect(abs(source.totalAudioEnergy / energy - 1) < 0.02)
  }

  /// Under loss the receiver counts what the network dropped, and conceals about as much.
  @Test(arguments: allFormats)
  func lossIsCountedAndConcealed(_ format: CodecFormat) throws {
    var profile = NetworkProfile()
    profile.lossBurstProbability = 0.04
    profile.meanLossBurstLength = 1.5
    var call = try TestCall(near: .plain(format), far: .plain(format), downlink: .profile(profile), seed: 3)
    let agent = try speech("agent", at: .hz16000)
    call.run(until: 1_000, agent: agent)
    let inbound = call.near.statistics.inboundRTP
    let lost = call.downlink.counts.lost
    #expect(lost > 10)
    #expect((0...2).contains(lost - inbound.packetsLost), "lost \(lost), counted \(inbound.packetsLost)")
    let samplesPerPacket = inbound.totalSamplesReceived / 500
    let concealed = Double(inbound.concealedSamples) / Double(samplesPerPacket * lost)
    #expect((0.6...1.6).contains(concealed), "\(concealed) of the lost samples")
    #expect(inbound.concealmentEvents > 0 && inbound.concealmentEvents <= lost)
    #expect(inbound.silentConcealedSamples <= inbound.concealedSamples)
  }

  @Test func latecomersAreDiscarded() throws {
    let delays = (0..<100).map { [$0 % 25 == 24 ? 700.0 : 20] }
    var call = try TestCall(near: .plain(.opus()), far: .plain(.opus()), downlink: .trace(delays))
    let agent = try speech("agent", at: .hz16000)
    call.run(until: 800, agent: agent)
    let inbound = call.near.statistics.inboundRTP
    #expect(inbound.packetsLost <= 2)
    #expect(inbound.packetsDiscarded > 8)
  }

  /// The spellings are webrtc-stats'; a peer's tools read them by name.
  @Test func keysAreSpelledAsInWebRTCStats() throws {
    let engine = try MediaEngine(.voiceAgent)
    let data = try JSONEncoder().encode(engine.statistics)
    let object = try #require(JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    #expect(
      Set(object.keys) == [
        "media-source", "outbound-rtp", "inbound-rtp", "remote-inbound-rtp", "remote-outbound-rtp", "faults",
      ])
    // Those of the dictionaries RTCAudioSourceStats, RTCOutboundRtpStreamStats and RTCInboundRtpStreamStats.
    let known: [String: Set<String>] = [
      "media-source": [
        "audioLevel", "totalAudioEnergy", "totalSamplesDuration", "echoReturnLoss", "echoReturnLossEnhancement",
      ],
      "outbound-rtp": [
        "packetsSent", "bytesSent", "headerBytesSent", "retransmittedPacketsSent", "retransmittedBytesSent",
        "nackCount",
        "targetBitrate",
      ],
      "remote-inbound-rtp": ["packetsLost", "totalRoundTripTime", "roundTripTimeMeasurements"],
      "remote-outbound-rtp": ["packetsSent", "bytesSent", "reportsSent"],
      "inbound-rtp": [
        "packetsReceived", "bytesReceived", "headerBytesReceived", "packetsLost", "packetsDiscarded",
        "fecPacketsReceived", "fecPacketsDiscarded", "nackCount", "jitter", "jitterBufferDelay",
        "jitterBufferTargetDelay",
        "jitterBufferMinimumDelay",
        "jitterBufferEmittedCount", "totalSamplesReceived", "concealedSamples", "silentConcealedSamples",
        "concealmentEvents", "insertedSamplesForDeceleration", "removedSamplesForAcceleration", "audioLevel",
        "totalAudioEnergy", "totalSamplesDuration",
      ],
    ]
    for (name, keys) in known {
      var found = Set(try #require(object[name]).keys)
      if name == "media-source" { found.remove("voiceActivity") }  // documented as not of webrtc-stats
      #expect(found == keys, "\(name)")
    }
    #expect(try JSONDecoder().decode(MediaStatistics.self, from: data) == engine.statistics)
  }

  @Test func stageCostsAreCountedWhenAskedFor() throws {
    var near = MediaEngineSettings.voiceAgent
    near.captureRate = .hz44100
    near.renderRate = .hz44100
    near.measuresStages = true
    near.echoCanceller = nil
    var quiet = near
    quiet.measuresStages = false
    for (settings, isMeasured) in [(near, true), (quiet, false)] {
      var call = try TestCall(near: settings, far: settings)
      call.run(until: 100, user: sine(300, sampleRate: .hz44100, count: 44_100))
      let costs = call.near.stageCosts
      guard isMeasured else {
        #expect(costs.isEmpty)
        continue
      }
      let stages = Set(costs.map(\.stage.rawValue))
      // What is not there has no row.
      let unused: Set<MediaStage> = [.echoReference, .echoCancellation]
      #expect(stages.isDisjoint(with: unused.map(\.rawValue)))
      for stage in MediaStage.allCases where !unused.contains(stage) {
        #expect(stages.contains(stage.rawValue), "\(stage.name)")
      }
      for cost in costs {
        #expect(cost.callCount > 0 && cost.totalTicks > 0, "\(cost.stage.name)")
        #expect(cost.medianTicks <= cost.p99Ticks && cost.p99Ticks <= cost.worstTicks, "\(cost.stage.name)")
        #expect(cost.worstTicks <= cost.totalTicks)
      }
      let encoding = try #require(costs.first { $0.stage == .encoding })
      #expect(encoding.callCount == call.near.statistics.outboundRTP.packetsSent)
    }
    #expect(MediaEngine.measureTicksPerSecond() > 1e6)
  }

  /// The canceller's row tells that noise is suppressed in it; a row of zeros would tell the contrary.
  @Test func noiseSuppressionIsInTheCancellersRow() throws {
    var settings = MediaEngineSettings.voiceAgent
    settings.measuresStages = true
    var call = try TestCall(near: settings, far: .unprocessed)
    call.run(until: 20)
    let costs = call.near.stageCosts
    #expect(!costs.contains { $0.stage == .noiseSuppression })
    #expect(costs.first { $0.stage == .echoCancellation }?.name == "echo cancellation and noise suppression")
  }

  /// Before the far end's first report there is no figure of it, not a good one.
  @Test func unreportedFiguresAreAbsent() throws {
    let remote = try MediaEngine(.unprocessed).statistics.remoteInboundRTP
    #expect(remote.fractionLost == nil && remote.jitter == nil && remote.roundTripTime == nil)
  }
}
