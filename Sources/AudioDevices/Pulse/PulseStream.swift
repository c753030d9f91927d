internal import CPulse
internal import Foundation
internal import RealtimeCore
internal import Synchronization

/// Sound between a client and one device, in one direction. When its device goes, it goes on at the default one.
///
/// All but the statistics belongs to the loop's lock.
@safe  // `stream` is made, used and released under the loop's lock only; `server` ends it before it ends itself
final class PulseStream: @unchecked Sendable {
  let direction: AudioDevice.Direction
  private unowned let server: PulseServer
  private let client: DeviceClient
  private let settings: DeviceSettings
  private var stream: OpaquePointer?
  /// The device that was asked for; `nil`: the default one.
  private var wanted: String?
  private var present: String?
  private var move: PulseOperation?
  /// Told as unavailable, and to be opened as soon as there is a device.
  private var waitsForDevice = false
  private(set) var refusal: String?

  private let sampleCount = Atomic<Int>(0)
  private let xrunCount = Atomic<Int>(0)
  private let latencyMicroseconds = Atomic<Int>(0)
  private let silence: SampleBuffer

  init(_ server: PulseServer, _ direction: AudioDevice.Direction, _ settings: DeviceSettings, _ client: DeviceClient) {
    self.server = server
    self.direction = direction
    self.settings = settings
    self.client = client
    wanted = direction == .capture ? settings.capture : settings.playback
    silence = SampleBuffer(repeating: 0, count: settings.sampleRate.sampleCount(milliseconds: 20))
  }

  /// Since the start. - Threads: any.
  var statistics: DeviceStatistics {
    var statistics = DeviceStatistics()
    statistics.device = server.loop.locked { present }
    statistics.sampleCount = sampleCount.load(ordering: .relaxed)
    statistics.xrunCount = xrunCount.load(ordering: .relaxed)
    statistics.latencyMilliseconds = Double(latencyMicroseconds.load(ordering: .relaxed)) / 1_000
    return statistics
  }

  var isRunning: Bool { present != nil }

  // MARK: Under the lock, from outside

  /// Connects to the wanted device; whether it worked shows later, as `isRunning` or `refusal`.
  func open() {
    close()
    refusal = nil
    guard server.isReady, unsafe server.handle != nil else { return }
    var spec = pa_sample_spec(
      format: PA_SAMPLE_FLOAT32LE, rate: UInt32(settings.sampleRate.hertz), channels: 1)
    guard let made = unsafe pa_stream_new(server.handle, settings.streamName, &spec, nil) else {
      refusal = server.failureText
      return
    }
    unsafe stream = made
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe pa_stream_set_state_callback(made, { _, user in unsafe owner(user) { $0.stateChanged() } }, user)
    unsafe pa_stream_set_moved_callback(made, { _, user in unsafe owner(user) { $0.noteDevice() } }, user)
    let latency = UInt32(4 * settings.latencyMilliseconds * Double(settings.sampleRate.hertz) / 1_000) & ~3
    let flags = pa_stream_flags_t(
      rawValue: PA_STREAM_ADJUST_LATENCY.rawValue | PA_STREAM_INTERPOLATE_TIMING.rawValue
        | PA_STREAM_AUTO_TIMING_UPDATE.rawValue)
    var buffering = pa_buffer_attr()
    buffering.maxlength = .max
    buffering.fragsize = .max
    buffering.tlength = .max
    buffering.minreq = .max
    buffering.prebuf = 0
    let answer: Int32
    if direction == .playback {
      buffering.tlength = latency
      unsafe pa_stream_set_write_callback(made, { _, count, user in unsafe owner(user) { $0.write(count) } }, user)
      unsafe pa_stream_set_underflow_callback(made, { _, user in unsafe owner(user) { $0.noteXrun() } }, user)
      answer = unsafe pa_stream_connect_playback(made, wanted, &buffering, flags, nil, nil)
    } else {
      buffering.fragsize = latency
      unsafe pa_stream_set_read_callback(made, { _, _, user in unsafe owner(user) { $0.read() } }, user)
      unsafe pa_stream_set_overflow_callback(made, { _, user in unsafe owner(user) { $0.noteXrun() } }, user)
      answer = unsafe pa_stream_connect_record(made, wanted, &buffering, flags)
    }
    if answer < 0 {
      refusal = server.failureText
      close()
    }
  }

  /// Ends the sound; `open` begins it again.
  func close() {
    present = nil
    // The server's answer to a move would come to the connection, and find this stream gone.
    move?.cancel()
    move = nil
    guard let old = unsafe stream else { return }
    unsafe stream = nil
    unsafe pa_stream_set_state_callback(old, nil, nil)
    unsafe pa_stream_set_moved_callback(old, nil, nil)
    unsafe pa_stream_set_write_callback(old, nil, nil)
    unsafe pa_stream_set_read_callback(old, nil, nil)
    unsafe pa_stream_set_underflow_callback(old, nil, nil)
    unsafe pa_stream_set_overflow_callback(old, nil, nil)
    unsafe pa_stream_disconnect(old)
    unsafe pa_stream_unref(old)
  }

  /// Goes on at another device; `nil`: the default one.
  func select(_ device: String?) {
    wanted = device
    waitsForDevice = false
    guard let stream = unsafe stream, let context = unsafe server.handle, present != nil else { return open() }
    let index = unsafe pa_stream_get_index(stream)
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    let done: pa_context_success_cb_t = { _, success, user in
      // A device that refuses to take the stream over may take a new one.
      if success == 0 { unsafe owner(user) { $0.open() } }
    }
    move?.cancel()
    move =
      direction == .playback
      ? unsafe PulseOperation(
        pa_context_move_sink_input_by_name(context, index, device ?? "@DEFAULT_SINK@", done, user))
      : unsafe PulseOperation(
        pa_context_move_source_output_by_name(context, index, device ?? "@DEFAULT_SOURCE@", done, user))
  }

  /// The server is gone and takes the stream with it.
  func serverIsGone() {
    close()
    waitsForDevice = true
  }

  /// There may be a device again.
  func devicesChanged() {
    if waitsForDevice, server.hasDevice(direction) { open() }
  }

  // MARK: Callbacks

  private func stateChanged() {
    guard let stream = unsafe stream else { return }
    switch unsafe pa_stream_get_state(stream) {
    case PA_STREAM_READY:
      waitsForDevice = false
      noteDevice()
    case PA_STREAM_FAILED, PA_STREAM_TERMINATED:
      let wasRunning = present != nil
      let reason = server.failureText
      close()
      if wasRunning || waitsForDevice {
        goOnElsewhere()
      } else {
        refusal = reason
      }
    default: break
    }
    server.loop.signal()
  }

  /// The device went while sound ran.
  private func goOnElsewhere() {
    wanted = nil
    if !waitsForDevice { server.tell(.unavailable(direction)) }
    // The server's list tells when there is one; the stream may have lost its device before the list knows.
    waitsForDevice = true
    devicesChanged()
  }

  private func noteDevice() {
    guard let stream = unsafe stream, let name = unsafe pa_stream_get_device_name(stream) else { return }
    let before = present
    present = unsafe String(cString: name)
    if let present, present != before, started { server.tell(.moved(direction, id: present)) }
    started = true
    server.loop.signal()
  }

  private var started = false

  private func noteXrun() { xrunCount.wrappingAdd(1, ordering: .relaxed) }

  /// The device wants `byteCount` bytes.
  private func write(_ byteCount: Int) {
    guard let stream = unsafe stream else { return }
    var rest = byteCount & ~3
    while rest > 0 {
      var target: UnsafeMutableRawPointer?
      var room = rest
      guard unsafe pa_stream_begin_write(stream, &target, &room) == 0, let target = unsafe target, room >= 4 else {
        return
      }
      let count = min(room, rest) / 4
      let floats = unsafe UnsafeMutableBufferPointer(
        start: target.bindMemory(to: Float.self, capacity: count), count: count)
      unsafe floats.initialize(repeating: 0)
      var samples = unsafe MutableSpan(_unsafeElements: floats)
      client.render(into: &samples, at: unsafe moment(of: stream))
      guard unsafe pa_stream_write(stream, target, 4 * count, nil, 0, PA_SEEK_RELATIVE) == 0 else { return }
      sampleCount.wrappingAdd(count, ordering: .relaxed)
      rest -= 4 * count
    }
  }

  /// The device has something to give.
  private func read() {
    guard let stream = unsafe stream else { return }
    while unsafe pa_stream_readable_size(stream) > 0 {
      var bytes: UnsafeRawPointer?
      var byteCount = 0
      guard unsafe pa_stream_peek(stream, &bytes, &byteCount) == 0, byteCount > 0 else { return }
      let moment = unsafe moment(of: stream)
      if let bytes = unsafe bytes {
        let floats = unsafe UnsafeBufferPointer(
          start: bytes.assumingMemoryBound(to: Float.self), count: byteCount / 4)
        deliver(unsafe Span(_unsafeElements: floats), moment)
      } else {
        noteXrun()
        deliverSilence(byteCount / 4, moment)
      }
      sampleCount.wrappingAdd(byteCount / 4, ordering: .relaxed)
      guard unsafe pa_stream_drop(stream) == 0 else { return }
    }
  }

  private func deliver(_ samples: Span<Float>, _ moment: DeviceMoment) {
    client.capture(SampleView(samples), at: moment)
  }

  private static func deliver(
    _ silence: borrowing SampleBuffer, _ count: Int, to client: DeviceClient, _ moment: DeviceMoment
  ) {
    client.capture(silence.view(0..<count), at: moment)
  }

  /// A hole in the recording: time has passed all the same.
  private func deliverSilence(_ count: Int, _ moment: DeviceMoment) {
    var rest = count
    while rest > 0 {
      let part = min(rest, silence.count)
      Self.deliver(silence, part, to: client, moment)
      rest -= part
    }
  }

  @unsafe private func moment(of stream: OpaquePointer) -> DeviceMoment {
    var latency: pa_usec_t = 0
    var isNegative: Int32 = 0
    if unsafe pa_stream_get_latency(stream, &latency, &isNegative) == 0 {
      latencyMicroseconds.store(isNegative != 0 ? 0 : Int(clamping: latency), ordering: .relaxed)
    }
    return DeviceMoment(
      now: MediaInstant(nanoseconds: monotonicNanoseconds()),
      latencyNanoseconds: Int64(latencyMicroseconds.load(ordering: .relaxed)) * 1_000)
  }
}

private func owner(_ user: UnsafeMutableRawPointer?, _ work: (PulseStream) -> Void) {
  guard let user = unsafe user else { return }
  unsafe Unmanaged<PulseStream>.fromOpaque(user)._withUnsafeGuaranteedRef(work)
}
