import AudioDevices
import Foundation
import MediaEngine
import Networking
import RealtimeCore
import Synchronization
import VoiceSession

/// A caller's WebRTC end for tests: says what it is told, and counts what it hears.
final class WebRTCCaller: Sendable {
  let connection: PeerConnection
  private let sound = Mutex<(said: [Float], heard: [Float])>(([], []))

  init(trickles: Bool, on loop: EventLoop) throws {
    var settings = PeerConnectionSettings()
    settings.engine = .unprocessed
    settings.trickles = trickles
    settings.transport.ice.allowsLoopback = true
    let box = Box()
    connection = try PeerConnection(
      settings,
      sound: .clock(sampleRate: .hz16000, blockMilliseconds: 20) {
        VirtualSound(
          microphone: { block in
            box.caller?.read(into: &block)
            return true
          },
          loudspeaker: { block in box.caller?.write(block) })
      }, on: loop)
    box.caller = self
  }

  private final class Box: @unchecked Sendable { weak var caller: WebRTCCaller? }

  func say(_ samples: [Float]) { sound.withLock { $0.said += samples } }

  /// Seconds of what was heard that are louder than -40 dBFS, in blocks of 20 ms.
  var heardSeconds: Double {
    sound.withLock { sound in
      stride(from: 0, to: sound.heard.count - 319, by: 320).reduce(0.0) { sum, start in
        let power = sound.heard[start..<(start + 320)].reduce(0) { $0 + $1 * $1 } / 320
        return power > 1e-4 ? sum + 0.02 : sum
      }
    }
  }

  /// Waits until so much was heard; false when it is not within `limit` seconds.
  func hears(seconds: Double, within limit: Double = 10) async -> Bool {
    for _ in 0..<Int(limit * 20) {
      if heardSeconds >= seconds { return true }
      try? await Task.sleep(for: .milliseconds(50))
    }
    return false
  }

  /// Waits for 300 ms of silence.
  func hearsSilence(within limit: Double = 20) async {
    var last = heardSeconds
    for _ in 0..<Int(limit / 0.3) {
      try? await Task.sleep(for: .milliseconds(300))
      let now = heardSeconds
      if now == last { return }
      last = now
    }
  }

  private func read(into block: inout MutableSpan<Float>) {
    sound.withLock { sound in
      let count = min(block.count, sound.said.count)
      for index in 0..<count { block[index] = sound.said[index] }
      for index in count..<block.count { block[index] = 0 }
      sound.said.removeFirst(count)
    }
  }

  private func write(_ block: Span<Float>) {
    sound.withLock { sound in
      for index in 0..<block.count { sound.heard.append(block[index]) }
    }
  }
}
