public import AudioDevices
public import RealtimeCore

/// Where a call's microphone and loudspeaker are.
public struct CallSound: Sendable {
  /// Rate of the samples in both directions.
  public let sampleRate: SampleRate
  /// Where it may go while it runs; `nil`: there is no choice.
  public let routes: SoundRoutes?
  /// Begins to call the client, and gives what ends it; may take as long as a sound server takes.
  let start: @Sendable (EngineClient) throws -> Running

  /// What ends the sound; when the closure returns, the client is not called any more.
  public struct Running: Sendable {
    let stop: @Sendable () -> Void

    /// Sound that `stop` ends.
    public init(stop: @escaping @Sendable () -> Void) { self.stop = stop }
  }

  /// Sound of your own: `start` hands the client to whatever calls it, on one thread at a time.
  public init(
    sampleRate: SampleRate, routes: SoundRoutes? = nil, start: @escaping @Sendable (EngineClient) throws -> Running
  ) {
    self.sampleRate = sampleRate
    self.routes = routes
    self.start = start
  }

  /// The system's devices.
  /// - Parameter onEvent: told of devices that come and go, on a thread of the system's.
  public static func devices(
    _ settings: DeviceSettings = DeviceSettings(), onEvent: (@Sendable (AudioDeviceEvent) -> Void)? = nil
  ) -> CallSound {
    let devices = RoutedDevices(settings)
    return CallSound(sampleRate: settings.sampleRate, routes: devices.routes) { client in
      try devices.start(client, settings, onEvent)
    }
  }

  /// A device without hardware, in the time of the system's clock; `make` gives where its sound comes from and goes to.
  /// - Parameter blockMilliseconds: 1 to 100.
  public static func clock(
    sampleRate: SampleRate = .hz48000, blockMilliseconds: Int = 10,
    _ make: @escaping @Sendable () -> sending VirtualSound
  ) -> CallSound {
    CallSound(sampleRate: sampleRate) { client in
      let stream = try ClockedStream(
        client, make(), sampleRate: sampleRate, blockMilliseconds: blockMilliseconds)
      return Running { stream.stop() }
    }
  }

  /// A place at a clock that many calls share; `make` gives where its sound comes from and goes to.
  public static func shared(
    _ clock: SharedClock, _ make: @escaping @Sendable () -> sending VirtualSound = { .null }
  ) -> CallSound {
    CallSound(sampleRate: clock.sampleRate) { client in
      let membership = clock.add(client, make())
      return Running { membership.leave() }
    }
  }

  /// Silence in, nothing out.
  public static var none: CallSound { .clock { .null } }
}
