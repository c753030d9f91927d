internal import AudioDevices
internal import Dispatch
internal import RealtimeCore
internal import Synchronization

/// When the system lets a call have the devices: where another part of it, such as CallKit, decides that, a call may not
/// open them by itself.
///
/// Before, and in between, the engine runs without devices: silence goes out, and what comes is not heard. So the call
/// stands when the devices are given, and outlives their being taken away.
/// - Threads: any; calls wait for the devices.
public final class AudioActivation: Sendable {
  private struct State {
    var isActive = false
    var runs: [Int: GatedSound] = [:]
    var runCount = 0
  }

  private let state = Mutex(State())
  /// What changes over to devices and back does so one after the other.
  private let queue = DispatchQueue(label: "antiphon-activation")

  /// Not active yet.
  public init() {}

  /// Whether the devices may be used.
  public var isActive: Bool { state.withLock { $0.isActive } }

  /// The devices may be used: sound begins, in calls that stand and in later ones.
  /// - Throws: what the devices say; the calls go on without them.
  public func activate() throws { try change(to: true) }

  /// The devices may not be used any more.
  public func deactivate() { try? change(to: false) }

  private func change(to isActive: Bool) throws {
    try queue.sync {
      let runs = state.withLock { state in
        state.isActive = isActive
        return Array(state.runs.values)
      }
      for run in runs { try run.change(isActive) }
    }
  }

  fileprivate func begin(_ sound: CallSound, _ client: EngineClient) throws -> CallSound.Running {
    try queue.sync {
      let run = GatedSound(sound, client)
      try run.change(isActive)
      let number = state.withLock { state in
        state.runCount += 1
        state.runs[state.runCount] = run
        return state.runCount
      }
      return CallSound.Running {
        self.queue.sync {
          self.state.withLock { _ = $0.runs.removeValue(forKey: number) }
          run.stop()
        }
      }
    }
  }
}

/// One call's sound: its devices, or a clock in their place. Used on the activation's queue only.
private final class GatedSound: @unchecked Sendable {
  private let sound: CallSound
  private let client: EngineClient
  private var running: CallSound.Running?
  private var hasDevices: Bool?

  init(_ sound: CallSound, _ client: EngineClient) {
    self.sound = sound
    self.client = client
  }

  func change(_ isActive: Bool) throws {
    guard hasDevices != isActive else { return }
    stop()
    hasDevices = isActive
    if isActive {
      do { running = try sound.start(client) } catch {
        try change(false)
        throw error
      }
    } else {
      running = try CallSound.silence(sampleRate: sound.sampleRate).start(client)
    }
  }

  func stop() {
    running?.stop()
    running = nil
  }
}

extension CallSound {
  /// The same sound, as far as the system allows it.
  public func when(_ activation: AudioActivation) -> CallSound {
    CallSound(sampleRate: sampleRate, routes: routes) { client in try activation.begin(self, client) }
  }

  fileprivate static func silence(sampleRate: SampleRate) -> CallSound { .clock(sampleRate: sampleRate) { .null } }
}
