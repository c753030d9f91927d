import Foundation

/// A parser with the way fuzzed bytes reach it.
enum Target: String, CaseIterable {
  case rtp, srtp, opus, pcm, jitter, engine, capture, packets, trace, audio, ogg

  func run(_ bytes: [UInt8]) {
    switch self {
    case .rtp: fuzzRTP(bytes)
    case .srtp: fuzzSRTP(bytes)
    case .opus: fuzzOpus(bytes)
    case .pcm: fuzzPCM(bytes)
    case .jitter: fuzzJitterBuffer(bytes)
    case .engine: fuzzEngine(bytes)
    case .capture: fuzzCapture(bytes)
    case .packets: fuzzPacketFile(bytes)
    case .trace: fuzzNetworkTrace(bytes)
    case .audio: fuzzAudioFile(bytes)
    case .ogg: fuzzOggOpus(bytes)
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
  unsafe Target.chosen.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// Ends the run as a find when `condition` does not hold.
func check(_ condition: Bool, _ claim: @autoclosure () -> String) {
  if !condition { fatalError(claim()) }
}
