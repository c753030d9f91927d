internal import Foundation

/// Keeps calls and callees.
@MainActor final class HablaArchiveMiddleware: HablaMiddleware {
  private let archive: any HablaArchive
  /// Writes are done one after the other, in the order in which they were wanted.
  private var last: Task<Void, Never>?

  init(_ archive: any HablaArchive) { self.archive = archive }

  func handle(
    _ action: HablaAction, before state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void
  ) {
    let archive = archive
    switch action {
    case .loadArchive:
      perform(dispatch) {
        let (records, memories) = try await (archive.records(), archive.memories())
        dispatch(.archiveLoaded(records, memories))
      }
    case .deleteRecord(let id): perform(dispatch) { try await archive.deleteRecord(id) }
    case .rememberCaller(let memory): perform(dispatch) { try await archive.remember(memory) }
    case .forgetCaller(let number): perform(dispatch) { try await archive.forget(number) }
    default:
      // Whatever ends a call, it is kept as it was before.
      var after = state
      after.reduce(action)
      guard state.callStatus.isOn, !after.callStatus.isOn else { return }
      let failure: String? = if case .failed(let words) = after.callStatus { words } else { nil }
      let record = HablaCallRecord(state, id: UUID(), at: Date(), failure: failure)
      dispatch(.callRecorded(record))
      perform(dispatch) { try await archive.add(record) }
    }
  }

  private func perform(
    _ dispatch: @escaping @MainActor (HablaAction) -> Void, _ work: @escaping @MainActor () async throws -> Void
  ) {
    let before = last
    last = Task {
      await before?.value
      do { try await work() } catch {
        dispatch(
          .problemOccurred(
            SessionError(.configuration, code: "archive", "the archive does not work: \(error)", isRetryable: true)))
      }
    }
  }
}
