public import RealtimeCore

/// The moment of a block of sound at a device.
@frozen
public struct DeviceMoment: Sendable, BitwiseCopyable {
  /// The system's monotonic clock when the block changed hands.
  public let now: MediaInstant
  /// Of a captured block: how long ago its first sample was at the microphone. Of a block to be played: how long until
  /// its first sample is at the loudspeaker. Nanoseconds, as far as server and driver know.
  public let latencyNanoseconds: Int64

  /// A moment on the system's monotonic clock.
  @inlinable
  public init(now: MediaInstant, latencyNanoseconds: Int64) {
    self.now = now
    self.latencyNanoseconds = latencyNanoseconds
  }
}

/// What a sound device calls: gives recorded sound, asks for sound to play. Make a subclass that owns an engine, or the
/// ends of rings.
///
/// - Threads: both calls come from the device's one thread, never at the same time. They are on the audio path: no
///   allocation, lock or system call, and done well within the length of the block.
open class DeviceClient: @unchecked Sendable {
  /// Hears nothing and plays silence, until a subclass does better.
  public init() {}

  /// Takes mono samples in -1...1 that the microphone gave. Blocks have any length.
  open func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {}

  /// Fills all of `samples`, mono in -1...1, for the loudspeaker. It comes as silence. Blocks have any length.
  open func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {}
}

/// A client that only touches rings, for an engine on a thread of its own.
public final class RingClient: DeviceClient, @unchecked Sendable {
  private var captured: SampleRing.Writer
  private var toPlay: SampleRing.Reader

  /// - Parameters:
  ///   - captured: where recorded samples go; what does not fit is lost and counted there.
  ///   - toPlay: where samples to play come from; what is missing is silence and counted there.
  public init(captured: consuming SampleRing.Writer, toPlay: consuming SampleRing.Reader) {
    self.captured = captured
    self.toPlay = toPlay
  }

  public override func capture(_ samples: borrowing SampleView, at moment: DeviceMoment) {
    _ = captured.write(samples)
  }

  public override func render(into samples: inout MutableSpan<Float>, at moment: DeviceMoment) {
    _ = toPlay.read(into: &samples)
  }
}
