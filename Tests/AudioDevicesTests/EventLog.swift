import AudioDevices
import Foundation

/// Gathers the events of a system, and waits for one.
final class EventLog: @unchecked Sendable {
  private let lock = NSCondition()
  private var events: [AudioDeviceEvent] = []
  private let system: AudioSystem
  private var number = 0

  init(_ system: AudioSystem) {
    self.system = system
    number = system.addListener { [weak self] event in self?.append(event) }
  }

  deinit { system.removeListener(number) }

  private func append(_ event: AudioDeviceEvent) {
    lock.withLock {
      events.append(event)
      lock.broadcast()
    }
  }

  /// Waits until an event is told for which `isWanted` holds; what came before it is forgotten.
  func wait(seconds: Double = 10, for isWanted: (AudioDeviceEvent) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    return lock.withLock {
      while true {
        if let index = events.firstIndex(where: isWanted) {
          events.removeFirst(index + 1)
          return true
        }
        if !lock.wait(until: end) { return false }
      }
    }
  }
}
