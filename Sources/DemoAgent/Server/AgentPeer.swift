internal import AudioDevices
internal import Networking
internal import RealtimeCore
internal import Synchronization
internal import VoiceSession

/// The agent's end of a WebRTC call: what it says goes out in real time, and what the caller says comes back at 16 kHz.
///
/// - Threads: any; `heard` is called on the loop's.
final class AgentPeer: Sendable {
  let connection: PeerConnection
  private let line: SpeechLine

  /// - Parameter trickles: whether the answer goes out at once, with candidates behind it.
  init(trickles: Bool, on loop: EventLoop, heard: @escaping @Sendable ([Float]) -> Void) throws(PeerConnectionError) {
    var settings = PeerConnectionSettings()
    settings.engine = .unprocessed
    settings.engine.bandCount = 0
    settings.trickles = trickles
    // A caller on this machine may have no other address.
    settings.transport.ice.allowsLoopback = true
    let line = SpeechLine()
    self.line = line
    let sound = CallSound.clock(sampleRate: .hz16000, blockMilliseconds: 20) {
      VirtualSound(
        microphone: { block in
          line.read(into: &block)
          return true
        },
        loudspeaker: { block in
          var samples = [Float](repeating: 0, count: block.count)
          for index in 0..<block.count { samples[index] = block[index] }
          let heardSamples = samples
          loop.perform { heard(heardSamples) }
        })
    }
    connection = try PeerConnection(settings, sound: sound, on: loop)
  }

  /// Says a sentence behind what is being said.
  func say(_ speech: Speech) {
    line.append(AgentSound.resample(speech.samples, from: speech.sampleRate, to: .hz16000))
  }

  /// Falls silent within a block.
  func flush() { line.clear() }

  /// Whether the caller has covered his ears: the agent speaks on, and nothing of it goes out.
  func earmuff(_ isOn: Bool) { line.silence(isOn) }
}

/// What is to be said, between the loop and the sound's clock.
private final class SpeechLine: Sendable {
  private struct State {
    var samples: [Float] = []
    var next = 0
    var isSilent = false
  }

  private let state = Mutex(State())

  func append(_ samples: [Float]) { state.withLock { $0.samples += samples } }

  func clear() { state.withLock { $0 = State(isSilent: $0.isSilent) } }

  func silence(_ isOn: Bool) { state.withLock { $0.isSilent = isOn } }

  func read(into block: inout MutableSpan<Float>) {
    state.withLock { state in
      let count = min(block.count, state.samples.count - state.next)
      for index in 0..<count { block[index] = state.isSilent ? 0 : state.samples[state.next + index] }
      for index in count..<block.count { block[index] = 0 }
      state.next += count
      if state.next == state.samples.count {
        state.samples = []
        state.next = 0
      }
    }
  }
}
