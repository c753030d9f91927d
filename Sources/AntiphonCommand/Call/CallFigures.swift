import Antiphon
import Foundation

/// What a call was like, for people and for programs.
struct CallFigures: Outcome, Sendable {
  var peer: String
  var seconds = 0.0
  var codec: String?
  var packetMilliseconds: Double?
  /// From the start of the program's offer, or the arrival of the peer's, until sound could flow, and until it came.
  var setupMilliseconds: Double?
  var firstSoundMilliseconds: Double?
  var localCandidate: String?
  var remoteCandidate: String?
  var srtpCipher: String?
  var playoutDelayMilliseconds: Double?
  var statistics: MediaStatistics?
  /// Keys that the peer pressed.
  var keys = ""
  /// Why it ended.
  var end = ""
  var warnings: [String] = []

  var summary: String {
    func milliseconds(_ value: Double?) -> String { value.map { String(format: "%.0f ms", $0) } ?? "–" }
    var lines = [
      String(format: "%.1f s with %@", seconds, peer) + (codec.map { ", \($0)" } ?? ", no sound agreed on")
        + (packetMilliseconds.map { String(format: ", %.0f ms packets", $0) } ?? "")
    ]
    if let localCandidate, let remoteCandidate {
      lines.append("  path          \(localCandidate) to \(remoteCandidate), \(srtpCipher ?? "no keys")")
    }
    lines.append(
      "  set-up        \(milliseconds(setupMilliseconds)), first sound after \(milliseconds(firstSoundMilliseconds))")
    if let statistics {
      let (inbound, remote) = (statistics.inboundRTP, statistics.remoteInboundRTP)
      let concealed = 100 * Double(inbound.concealedSamples) / Double(max(1, inbound.totalSamplesReceived))
      lines.append(
        String(
          format: "  received      %d packets, %d lost, jitter %.1f ms, %.1f %% concealed, playout delay %@",
          inbound.packetsReceived, inbound.packetsLost, 1_000 * inbound.jitter, concealed,
          milliseconds(playoutDelayMilliseconds)))
      lines.append(
        String(
          format: "  sent          %d packets, %d of them lost by the peer's count, round trip %@",
          statistics.outboundRTP.packetsSent, remote.packetsLost,
          remote.roundTripTime.map { String(format: "%.1f ms", 1_000 * $0) } ?? "not measured"))
    }
    if !keys.isEmpty { lines.append("  keys          \(keys)") }
    lines.append("  ended         \(end)")
    return lines.joined(separator: "\n")
  }
}
