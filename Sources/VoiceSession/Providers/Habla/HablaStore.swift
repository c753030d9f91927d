internal import Networking
public import Observation

/// Does what an action wants beside changing the state: calls, files, requests.
@MainActor public protocol HablaMiddleware: AnyObject {
  /// Is told of an action before the state changes.
  /// - Parameters:
  ///   - state: as it is before the action.
  ///   - dispatch: for what comes of it, now or later; behind the action that is being told.
  func handle(
    _ action: HablaAction, before state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void)
}

/// An app's store: actions go to the middleware, then change the state, one after the other.
///
/// ```swift
/// let store = HablaStore(HablaConfiguration(nova: server), archive: HablaFileArchive(in: folder))
/// store.dispatch(.initiateCall(to: "+15550100"))
/// for await state in store.states { show(state.callStatus, state.liveCallPhase, state.levels) }
/// await store.endCall()
/// ```
/// - Threads: the main actor. Sockets and sound have their own.
@MainActor @Observable
public final class HablaStore {
  /// What views show.
  public private(set) var state: HablaState

  @ObservationIgnored private let middleware: [any HablaMiddleware]
  @ObservationIgnored private let calls: HablaCallMiddleware
  @ObservationIgnored private let broadcast = EventBroadcast<HablaState>(limit: 1) { _ in EventKind(0) }
  @ObservationIgnored private let actionBroadcast = EventBroadcast<HablaAction>(limit: 4_096) { _ in nil }
  @ObservationIgnored private var waiting: [HablaAction] = []
  @ObservationIgnored private var isDispatching = false

  /// A store without a call; it begins to read the archive.
  /// - Parameters:
  ///   - archive: where calls and callees are kept; `nil`: nowhere.
  ///   - middleware: the app's own, told behind the store's.
  public init(
    _ configuration: HablaConfiguration, environment: SessionEnvironment = .devices,
    archive: (any HablaArchive)? = nil, middleware: [any HablaMiddleware] = [], state: HablaState = HablaState()
  ) {
    self.state = state
    calls = HablaCallMiddleware(configuration, environment)
    var own: [any HablaMiddleware] = [calls, HablaCallerIDMiddleware(configuration, environment)]
    if let archive { own.append(HablaArchiveMiddleware(archive)) }
    self.middleware = own + middleware
    broadcast.publish(state)
    dispatch(.loadArchive)
  }

  /// Does something. Actions that come while one is at work wait for their turn.
  public func dispatch(_ action: HablaAction) {
    waiting.append(action)
    guard !isDispatching else { return }
    isDispatching = true
    defer { isDispatching = false }
    while !waiting.isEmpty {
      let action = waiting.removeFirst()
      let before = state
      for part in middleware { part.handle(action, before: before) { [weak self] in self?.dispatch($0) } }
      state.reduce(action)
      actionBroadcast.publish(action)
      if state != before { broadcast.publish(state) }
    }
  }

  /// Ends the call; in any state, any number of times. Returns when its sockets and sound are released.
  public func endCall() async {
    dispatch(.endCall)
    await calls.released()
  }

  /// The state, now and whenever it has changed; a slow reader gets the newest.
  public nonisolated var states: AsyncStream<HablaState> { broadcast.stream }

  /// All actions from now on, each behind its change of the state.
  public nonisolated var actions: AsyncStream<HablaAction> { actionBroadcast.stream }
}

/// The back ends of an app, and how their calls are treated.
public struct HablaConfiguration: Sendable {
  /// Where each back end is.
  public var servers: [HablaBackend: HablaServer]
  /// How sessions treat what the system leaves open.
  public var session = HablaSessionSettings()

  /// One back end, or both.
  public init(nova: HablaServer? = nil, gemini: HablaServer? = nil) {
    servers = [:]
    servers[.nova] = nova
    servers[.gemini] = gemini
  }

  /// The one that was chosen; where the app has only the other, that.
  func server(for backend: HablaBackend) -> HablaServer? { servers[backend] ?? servers.values.first }
}
