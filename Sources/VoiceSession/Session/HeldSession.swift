/// Holds a session for a face: when the face is let go, the session ends.
final class HeldSession<D: SessionDialect>: Sendable {
  let driver: SessionDriver<D>

  init(_ driver: SessionDriver<D>) { self.driver = driver }

  deinit { Task { [driver] in await driver.end() } }
}
