/// Verifies, lists and deletes the numbers that callees see.
@MainActor final class HablaCallerIDMiddleware: HablaMiddleware {
  private let configuration: HablaConfiguration
  private let environment: SessionEnvironment

  init(_ configuration: HablaConfiguration, _ environment: SessionEnvironment) {
    self.configuration = configuration
    self.environment = environment
  }

  func handle(
    _ action: HablaAction, before state: HablaState, _ dispatch: @escaping @MainActor (HablaAction) -> Void
  ) {
    guard let server = configuration.server(for: state.preferences.backend) else { return }
    let account = HablaAccount(server, environment: environment)
    switch action {
    case .loadCallerIDs:
      perform(dispatch) { () async throws(SessionError) in .callerIDsLoaded(try await account.callerIDs()) }
    case .verifyCallerID(let number, let name):
      perform(dispatch) { () async throws(SessionError) in
        .callerIDVerification(try await account.verify(number, name: name))
      }
    case .checkCallerID(let number):
      let code = state.callerIDVerification?.validationCode
      perform(dispatch) { () async throws(SessionError) in
        var verification = try await account.verification(of: number)
        verification.validationCode = code
        if verification.isVerified { dispatch(.loadCallerIDs) }
        return .callerIDVerification(verification)
      }
    case .deleteCallerID(let sid):
      perform(dispatch) { () async throws(SessionError) in
        try await account.delete(callerID: sid)
        return .callerIDsLoaded(try await account.callerIDs())
      }
    default: break
    }
  }

  private func perform(
    _ dispatch: @escaping @MainActor (HablaAction) -> Void,
    _ work: @escaping @MainActor () async throws(SessionError) -> HablaAction
  ) {
    Task {
      do throws(SessionError) { dispatch(try await work()) } catch { dispatch(.problemOccurred(error)) }
    }
  }
}
