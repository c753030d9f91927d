internal import CPulse
internal import Foundation
internal import RealtimeCore

/// A connection to a sound server that speaks PulseAudio's protocol: PulseAudio itself, or PipeWire.
///
/// Its state belongs to the loop's lock: callbacks hold it, all else takes it. Whoever owns the server calls `shutDown`
/// before it lets go, since a connection must not end on its own thread.
@safe  // `context` is made, used and released under the loop's lock only
final class PulseServer: @unchecked Sendable {
  let loop: PulseLoop
  /// Whether the thread of the devices has real-time priority.
  private(set) var isRealtime = false
  /// Whether the server answers at the moment.
  private(set) var isReady = false
  /// As the server told last.
  private(set) var devices: [AudioDevice] = []

  private let address: String?
  private let applicationName: String
  private var context: OpaquePointer?
  private var survey: DeviceSurvey?
  private var surveyAgain = false
  private var surveyCount = 0
  private var wasReady = false
  private var isShutDown = false
  private var streams: [ObjectIdentifier: PulseStream] = [:]
  private var listeners: [Int: @Sendable (AudioDeviceEvent) -> Void] = [:]
  private var listenerCount = 0

  /// Enough for a busy machine; nobody waits longer for sound.
  static let patienceSeconds = 5.0
  private static let retryMilliseconds = 1_000

  /// Connects, and waits until the server has told its devices.
  init(address: String?, applicationName: String) throws(AudioDeviceError) {
    self.address = address
    self.applicationName = applicationName
    loop = try PulseLoop()
    loop.locked {
      let user = unsafe Unmanaged.passUnretained(self).toOpaque()
      unsafe pa_mainloop_api_once(
        loop.api, { _, user in unsafe server(user) { $0.isRealtime = ThreadPriority.makeRealtime() } }, user)
    }
    do throws(AudioDeviceError) {
      try loop.locked { () throws(AudioDeviceError) in
        try connect()
        try wait(doing: "connecting") { $0.surveyCount > 0 }
      }
    } catch {
      shutDown()
      throw error
    }
  }

  /// Ends the connection; streams are gone after it. From any thread but the loop's.
  func shutDown() {
    loop.locked {
      isShutDown = true
      for stream in streams.values { stream.close() }
      streams = [:]
      retryTimer = nil
      disconnect()
      listeners = [:]
    }
  }

  // MARK: Devices

  /// Asks anew, and waits for the answer.
  func freshDevices() throws(AudioDeviceError) -> [AudioDevice] {
    try loop.locked { () throws(AudioDeviceError) -> [AudioDevice] in
      let before = surveyCount
      beginSurvey()
      try wait(doing: "listing devices") { $0.surveyCount > before }
      return devices
    }
  }

  /// Calls `listener` on the loop's thread for each event, until `removeListener`.
  func addListener(_ listener: @escaping @Sendable (AudioDeviceEvent) -> Void) -> Int {
    loop.locked {
      listenerCount += 1
      listeners[listenerCount] = listener
      return listenerCount
    }
  }

  func removeListener(_ number: Int) { loop.locked { listeners[number] = nil } }

  /// Under the lock.
  func tell(_ event: AudioDeviceEvent) { for listener in listeners.values { listener(event) } }

  /// Under the lock.
  func hasDevice(_ direction: AudioDevice.Direction) -> Bool { devices.contains { $0.direction == direction } }

  // MARK: Streams

  /// A stream is part of the connection until it is removed. Under the lock.
  func add(_ stream: PulseStream) { streams[ObjectIdentifier(stream)] = stream }
  func remove(_ stream: PulseStream) { streams[ObjectIdentifier(stream)] = nil }

  @unsafe var handle: OpaquePointer? { unsafe context }

  /// What the server said last was wrong, in its own words.
  var failureText: String {
    guard let context = unsafe context else { return "not connected" }
    return unsafe String(cString: pa_strerror(pa_context_errno(context)))
  }

  /// Waits, under the lock and not on the loop's thread, until `isDone`, the connection breaks, or patience ends.
  func wait(doing: String, until isDone: (PulseServer) -> Bool) throws(AudioDeviceError) {
    let deadline = monotonicNanoseconds() + Int64(Self.patienceSeconds * 1e9)
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    let tick = unsafe PulseTimer(loop, afterMilliseconds: 100, user) { _, _, _, user in
      unsafe server(user) { $0.loop.signal() }
    }
    while !isDone(self) {
      if unsafe context == nil { throw .noServer(address: address, reason: failureAtConnecting) }
      if monotonicNanoseconds() > deadline { throw .timedOut(doing: doing, seconds: Self.patienceSeconds) }
      tick?.restart(afterMilliseconds: 100)
      loop.wait()
    }
  }

  // MARK: The connection

  private var failureAtConnecting = "not connected"

  private func connect() throws(AudioDeviceError) {
    let made = unsafe pa_context_new(loop.api, applicationName)
    guard let made = unsafe made else { throw .noServer(address: address, reason: "no memory") }
    unsafe context = made
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe pa_context_set_state_callback(made, { _, user in unsafe server(user) { $0.stateChanged() } }, user)
    unsafe pa_context_set_subscribe_callback(
      made, { _, _, _, user in unsafe server(user) { $0.beginSurvey() } }, user)
    // Nobody's sound server is started behind their back.
    if unsafe pa_context_connect(made, address, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 {
      let reason = failureText
      disconnect()
      throw .noServer(address: address, reason: reason)
    }
  }

  private func disconnect() {
    guard let old = unsafe context else { return }
    unsafe context = nil
    isReady = false
    survey = nil
    unsafe pa_context_set_state_callback(old, nil, nil)
    unsafe pa_context_set_subscribe_callback(old, nil, nil)
    unsafe pa_context_disconnect(old)
    unsafe pa_context_unref(old)
  }

  private func stateChanged() {
    guard let context = unsafe context, !isShutDown else { return }
    switch unsafe pa_context_get_state(context) {
    case PA_CONTEXT_READY:
      isReady = true
      let events = pa_subscription_mask_t(
        rawValue: PA_SUBSCRIPTION_MASK_SINK.rawValue | PA_SUBSCRIPTION_MASK_SOURCE.rawValue
          | PA_SUBSCRIPTION_MASK_SERVER.rawValue)
      _ = unsafe PulseOperation(pa_context_subscribe(context, events, nil, nil))
      beginSurvey()
      if wasReady { tell(.serverBack) }
      wasReady = true
    case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
      failureAtConnecting = failureText
      let hadDevices = isReady
      disconnect()
      for stream in streams.values { stream.serverIsGone() }
      if wasReady {
        if hadDevices { tell(.serverLost) }
        devices = []
        retryLater()
      }
    default: break
    }
    loop.signal()
  }

  private var retryTimer: PulseTimer?

  private func retryLater() {
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    retryTimer = unsafe PulseTimer(loop, afterMilliseconds: Self.retryMilliseconds, user) { _, _, _, user in
      unsafe server(user) { $0.retry() }
    }
  }

  private func retry() {
    retryTimer = nil
    guard !isShutDown, unsafe context == nil else { return }
    do { try connect() } catch { retryLater() }
  }

  // MARK: The survey

  /// Asks for defaults and devices; answers come in this order.
  private func beginSurvey() {
    guard let context = unsafe context, isReady else { return }
    if survey != nil {
      surveyAgain = true
      return
    }
    survey = DeviceSurvey()
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    _ = unsafe PulseOperation(
      pa_context_get_server_info(
        context,
        { _, info, user in
          guard let info = unsafe info?.pointee else { return }
          let (playback, capture) = unsafe (text(info.default_sink_name), text(info.default_source_name))
          unsafe server(user) { $0.survey?.setDefaults(playback: playback, capture: capture) }
        }, user))
    _ = unsafe PulseOperation(
      pa_context_get_sink_info_list(
        context,
        { _, info, last, user in
          guard let info = unsafe info?.pointee, last == 0 else { return }
          let (id, name) = unsafe (text(info.name), text(info.description))
          let spec = unsafe info.sample_spec
          unsafe server(user) {
            $0.survey?.add(
              id: id, name: name, .playback, hertz: Int(spec.rate), channels: Int(spec.channels), monitor: false)
          }
        }, user))
    _ = unsafe PulseOperation(
      pa_context_get_source_info_list(
        context,
        { _, info, last, user in
          guard let info = unsafe info?.pointee, last == 0 else { return unsafe server(user) { $0.endSurvey() } }
          let (id, name) = unsafe (text(info.name), text(info.description))
          let (spec, isMonitor) = unsafe (info.sample_spec, info.monitor_of_sink != UInt32.max)
          unsafe server(user) {
            $0.survey?.add(
              id: id, name: name, .capture, hertz: Int(spec.rate), channels: Int(spec.channels), monitor: isMonitor)
          }
        }, user))
  }

  private func endSurvey() {
    guard let found = survey?.devices else { return }
    survey = nil
    let before = devices
    devices = found
    surveyCount += 1
    if surveyCount > 1 { for event in DeviceSurvey.events(from: before, to: found) { tell(event) } }
    for stream in streams.values { stream.devicesChanged() }
    loop.signal()
    if surveyAgain {
      surveyAgain = false
      beginSurvey()
    }
  }
}

/// Nanoseconds of the system's monotonic clock.
func monotonicNanoseconds() -> Int64 {
  var time = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
}

private func text(_ bytes: UnsafePointer<CChar>?) -> String {
  unsafe bytes.map { unsafe String(cString: $0) } ?? ""
}

private func server(_ user: UnsafeMutableRawPointer?, _ work: (PulseServer) -> Void) {
  guard let user = unsafe user else { return }
  unsafe Unmanaged<PulseServer>.fromOpaque(user)._withUnsafeGuaranteedRef(work)
}
