/// One connection of a widget: its session, and the tasks that carry what it tells to the main actor, in order, and what
/// is asked of it from there.
@MainActor
final class WidgetLink {
  typealias Command = SessionCommand<TelnyxDialect.Command>

  private let held: HeldSession<TelnyxDialect>
  private let commands: AsyncStream<Command>.Continuation
  private let queue: AsyncStream<Command>
  private var tasks: [Task<Void, Never>] = []

  init(_ configuration: TelnyxConfiguration, _ environment: SessionEnvironment) {
    held = HeldSession(SessionDriver(TelnyxDialect(configuration), environment))
    (queue, commands) = AsyncStream.makeStream()
  }

  deinit {
    commands.finish()
    for task in tasks { task.cancel() }
  }

  /// Asks something of the session, behind all that was asked before.
  func perform(_ command: Command) { commands.yield(command) }

  func read(
    events takeEvent: @escaping @MainActor (SessionEvent<TelnyxDialect.Notice>) -> Void,
    levels takeLevels: @escaping @MainActor (SessionLevels) -> Void,
    refusals takeRefusal: @escaping @MainActor (Command, SessionError) -> Void,
    quality takeQuality: @escaping @MainActor (CallQuality?) -> Void
  ) {
    // The tasks know the driver only, so that letting go of the link ends the session.
    let (driver, queue) = (held.driver, queue)
    let (events, levels) = (driver.events, driver.levels)
    tasks = [
      Task { for await event in events { takeEvent(event) } },
      Task { for await new in levels { takeLevels(new) } },
      Task {
        for await command in queue {
          do throws(SessionError) { try await driver.perform(command) } catch { takeRefusal(command, error) }
        }
      },
      Task {
        var meter = CallQualityMeter()
        while !Task.isCancelled {
          try? await Task.sleep(for: .seconds(1))
          if let snapshot = await driver.snapshot {
            takeQuality(meter.take(snapshot))
          } else {
            meter = CallQualityMeter()
          }
        }
      },
    ]
  }

  /// Ends the session; returns when all of it is released.
  func end() async { await held.driver.end() }
}
