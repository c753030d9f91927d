/// What a visualizer shows: true bands of what is sent and of what is played, 0...1, lowest frequency first.
public struct SessionLevels: Sendable, Hashable {
  /// Of the user's voice as it is sent.
  public var user: [Float]
  /// Of the agent's voice as it is played.
  public var agent: [Float]

  /// Levels.
  public init(user: [Float] = [], agent: [Float] = []) {
    self.user = user
    self.agent = agent
  }
}

extension SessionLevels {
  init(_ snapshot: MediaSnapshot) {
    let bands = 0..<snapshot.bandCount
    self.init(user: bands.map { snapshot.captureLevels[$0] }, agent: bands.map { snapshot.renderLevels[$0] })
  }
}
