import Foundation

/// A parser with the way fuzzed bytes reach it.
enum Target: String, CaseIterable {
  case rtp, rtcp, red, srtp, offer, opus, pcm, jitter, engine, capture, sdp, replay, packets, trace, audio, ogg, framed

  /// Throws only where the set-up fails, which does not depend on the bytes.
  func run(_ bytes: [UInt8]) throws {
    switch self {
    case .rtp: try fuzzRTP(bytes)
    case .rtcp: fuzzRTCP(bytes)
    case .red: try fuzzRedundancy(bytes)
    case .srtp: try fuzzSRTP(bytes)
    case .offer: try fuzzOffer(bytes)
    case .opus: try fuzzOpus(bytes)
    case .pcm: try fuzzPCM(bytes)
    case .jitter: try fuzzJitterBuffer(bytes)
    case .engine: try fuzzEngine(bytes)
    case .capture: fuzzCapture(bytes)
    case .sdp: fuzzSessionDescription(bytes)
    case .replay: try fuzzReplay(bytes)
    case .packets: try fuzzPacketFile(bytes)
    case .trace: fuzzNetworkTrace(bytes)
    case .audio: fuzzAudioFile(bytes)
    case .ogg: fuzzOggOpus(bytes)
    case .framed: try fuzzFramedAudio(bytes)
    }
  }

  /// The one that FUZZ_TARGET names; there is one program for all, since each would link all modules anyway.
  static let chosen: Target = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = Target(rawValue: name) else {
      fatalError("FUZZ_TARGET is \"\(name)\"; give one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
  }()
}

/// What libFuzzer calls with each input; nothing outlives the call, so that one input alone reproduces a crash.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do {
    try Target.chosen.run(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    fatalError("the target could not be set up: \(error)")
  }
  return 0
}

/// Ends the run as a find when `condition` does not hold.
func check(_ condition: Bool, _ claim: @autoclosure () -> String) {
  if !condition { fatalError(claim()) }
}
